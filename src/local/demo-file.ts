/** `.local/demo.json`: everything that a client needs to try the installation. It contains keys, so only its owner can read it. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivateFile } from './private-files.ts';

/** Logs in to the demo merchant. The login codes appear in the worker's log unless SMTP_URL is set. */
export const DEMO_OWNER = 'owner@example.com';

const demoShape = z.object({
  restUrl: z.string(),
  graphqlUrl: z.string(),
  /** Without the /v1 path. */
  cardUrl: z.string(),
  appId: z.string(),
  secretKey: z.string(),
  publishableKey: z.string(),
  chains: z.array(
    z.object({
      chainId: z.number(),
      rpcUrl: z.string(),
      escrow: z.string(),
      confirmations: z.number(),
      tokens: z.array(z.object({ key: z.string(), address: z.string(), decimals: z.number() })),
    }),
  ),
  payers: z.array(z.object({ address: z.string(), privateKey: z.string() })),
  /** `secretKey` is 64 bytes in base58. */
  solana: z
    .object({
      chainId: z.number(),
      rpcUrl: z.string(),
      wsUrl: z.string(),
      confirmations: z.number(),
      tokens: z.array(z.object({ key: z.string(), address: z.string(), decimals: z.number() })),
      payers: z.array(z.object({ address: z.string(), secretKey: z.string() })),
    })
    .optional(),
  /** Addresses whose balances can be read. No payments are made on Sui. */
  sui: z
    .object({
      chainId: z.number(),
      rpcUrl: z.string(),
      tokens: z.array(z.object({ key: z.string(), address: z.string(), decimals: z.number() })),
      holders: z.array(z.object({ address: z.string() })),
    })
    .optional(),
});

export type Demo = z.infer<typeof demoShape>;

/** Returns undefined if the file is missing or does not have the expected format. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demoShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes atomically, because clients may read the file at any time. */
export function writeDemo(file: string, demo: Demo): void {
  replacePrivateFile(file, `${JSON.stringify(demo, null, 2)}\n`);
}
