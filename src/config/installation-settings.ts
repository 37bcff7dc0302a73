import { z } from 'zod';

const port = z.coerce.number().int().min(1).max(65535);

/** Settings that only `npm start` and the commands of a local installation read. docs/configuration.md is generated from them. */
export const installationSettings = {
  LOCAL_FOLDER: z
    .string()
    .default('.local')
    .describe('The folder that holds the data of the installation. A relative path starts at the checkout.'),
  ONE_PROCESS: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .describe(
      'Whether `npm start` runs the API, the worker and the indexer in one process, which takes less memory. A fault of one then ends all three, which start again together.',
    ),
  LOCAL_POSTGRES_PORT: port.default(25432).describe('The port of the embedded PostgreSQL.'),
  // The default ports of local chains are the chain ids, which are below the range of ephemeral ports.
  LOCAL_EVM_PORT_31337: port.default(31337).describe('The port of the first local EVM chain.'),
  LOCAL_EVM_PORT_31338: port.default(31338).describe('The port of the second local EVM chain.'),
  LOCAL_SOLANA_PORT: port
    .max(65_534)
    .default(8899)
    .describe('The port of the local Solana node. Its websocket uses the next port.'),
  LOCAL_SUI_PORT: port.default(9000).describe('The port of the local Sui node, which returns balances.'),
};
