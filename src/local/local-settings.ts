import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { installationSettings } from '../config/installation-settings.ts';

/** The EVM chains that `npm start` runs. */
const localChainIds = [31337, 31338] as const;

/** The folder of the checkout, against which a relative LOCAL_FOLDER is resolved. */
export const checkoutFolder = fileURLToPath(new URL('../..', import.meta.url));

export type LocalSettings = {
  /** Absolute path of the folder that holds all data of this installation. */
  folder: string;
  /** Whether the API, the worker and the indexer share a process. */
  isOneProcess: boolean;
  postgresPort: number;
  evmPorts: { chainId: number; port: number }[];
  /** Port of the local Solana node. Its WebSocket uses the next port. */
  solanaPort: number;
  /** Port of the local Sui node, which serves balances only. */
  suiPort: number;
  /** Port of the API. */
  port: number;
  /** An existing Postgres to use instead of a local one. */
  databaseUrl: string | undefined;
  /** Whether RPC_URL_<chainId> names chains. No local chains are started then, and no demo funds are provided. */
  hasOwnChains: boolean;
};

const port = z.coerce.number().int().min(1).max(65535);

const schema = z.object({
  ...installationSettings,
  PORT: port.default(4000),
  DATABASE_URL: z.string().optional(),
});

/** Parses the settings that `npm start` itself reads. The parts parse their own. Throws ConfigError. */
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
