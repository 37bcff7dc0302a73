/** `.local/demo.json`: all that a client needs to try the installation. It holds keys, so only its owner reads it. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivateFile } from './private-files.ts';

const demoShape = z.object({
  restUrl: z.string(),
  graphqlUrl: z.string(),
  /** Without /v1. */
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
  /** `secretKey` is base58 of 64 bytes. */
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
  /** Whose balances can be asked for; nothing is paid on Sui. */
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

/** Answers nothing when the file is missing or not what we write. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demoShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Whole or not at all, for clients may read it at any moment. */
export function writeDemo(file: string, demo: Demo): void {
  replacePrivateFile(file, `${JSON.stringify(demo, null, 2)}\n`);
}
