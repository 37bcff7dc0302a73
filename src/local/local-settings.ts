import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import { installationSettings } from '../config/installation-settings.ts';
import { localChainIds } from './local-chains.ts';

/** The checkout's own folder: what a relative LOCAL_FOLDER counts from. */
export const checkoutFolder = fileURLToPath(new URL('../..', import.meta.url));

export type LocalSettings = {
  /** Absolute; everything that this installation keeps lies in it. */
  folder: string;
  /** Whether the API, the worker and the indexer share a process. */
  isOneProcess: boolean;
  postgresPort: number;
  evmPorts: { chainId: number; port: number }[];
  /** Of the local Solana; its websocket's is the next. */
  solanaPort: number;
  /** Of the local Sui, which tells balances. */
  suiPort: number;
  /** The API's. */
  port: number;
  /** A Postgres to use instead of one of our own. */
  databaseUrl: string | undefined;
  /** Whether RPC_URL_<chainId> names chains: then none are started here, and nobody gets demo money. */
  hasOwnChains: boolean;
};

const port = z.coerce.number().int().min(1).max(65535);

const schema = z.object({
  ...installationSettings,
  PORT: port.default(4000),
  DATABASE_URL: z.string().optional(),
});

/** Parses what `npm start` itself reads of the environment; the parts parse their own. Throws ConfigError. */
export function parseLocalSettings(environment: Record<string, string | undefined>): LocalSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  const { LOCAL_FOLDER: folder, DATABASE_URL: databaseUrl } = parsed.data;
  return {
    folder: isAbsolute(folder) ? folder : join(checkoutFolder, folder),
    isOneProcess: parsed.data.ONE_PROCESS,
    postgresPort: parsed.data.LOCAL_POSTGRES_PORT,
    evmPorts: localChainIds.map((chainId) => ({ chainId, port: parsed.data[`LOCAL_EVM_PORT_${chainId}`] })),
    solanaPort: parsed.data.LOCAL_SOLANA_PORT,
    suiPort: parsed.data.LOCAL_SUI_PORT,
    port: parsed.data.PORT,
    databaseUrl,
    hasOwnChains: Object.keys(given).some((name) => /^RPC_URL_\d+$/.test(name)),
  };
}
