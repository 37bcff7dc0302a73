/**
 * The settings of one chain. The name of each variable ends with `_` and the chain id. `RPC_URL_<id>` enables the chain.
 * docs/configuration.md is generated from these settings.
 */
import { z } from 'zod';

const positiveInteger = z.coerce.number().int().positive();

export const chainSettings = {
  RPC_URL: z
    .string()
    .describe(
      'URLs of JSON-RPC nodes, separated by commas. The first that responds is used. Setting it enables the chain.',
    ),
  RPC_WS_URL: z
    .url({ protocol: /^wss?$/, error: 'a ws or wss URL' })
    .optional()
    .describe(
      'A websocket of a node that announces new blocks to Ponder, which polls otherwise ([when it fails](operations.md#websockets)), or to the watcher of payments on Solana.',
    ),
  PUBLIC_RPC_URL: z
    .url({ protocol: /^https?$/, error: 'an http(s) URL' })
    .optional()
    .describe("A node that payers' browsers may call. It is published to every visitor of a payment page."),
  CONFIRMATIONS: positiveInteger
    .max(10_000)
    .optional()
    .describe("Blocks after which a payment counts as confirmed. The registry's value when it is not set."),
  POLLING_INTERVAL_MS: positiveInteger.max(60_000).default(1000).describe('How often a node is polled for new blocks.'),
  START_BLOCK: z
    .string()
    .regex(/^\d{1,15}$/, 'a block number')
    .optional()
    .describe(
      'The block from which the indexer reads. When it is not set: the head at the first start, or the genesis of a local chain. It is fixed at the first start.',
    ),
  RELAY_MINIMUM_USD: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, 'an amount like 0.50')
    .default('0')
    .describe('Payments below this amount in USD are not offered methods whose gas the operator pays.'),
  DEPOSIT_RETURN_MINIMUM: z
    .string()
    .regex(
      /^[A-Za-z0-9.]{1,16}=\d{1,15}(\.\d{1,36})?(,[A-Za-z0-9.]{1,16}=\d{1,15}(\.\d{1,36})?)*$/,
      'amounts like USDC=0.50,ETH=0.0002',
    )
    .optional()
    .describe(
      'Minimum balance of a [deposit address](transfers.md#dust) that is returned, in whole tokens by symbol, such as `USDC=0.50,ETH=0.0002`. For other tokens, `RELAY_MINIMUM_USD` at the current price applies.',
    ),
  MAX_FEE_PER_GAS_WEI: z
    .string()
    .regex(/^(0|[1-9]\d{0,19})$/, 'an integer of wei')
    .default('500000000000')
    .describe("The highest `maxFeePerGas` that the operator's transactions offer, in wei."),
  LOW_BALANCE_WEI: z
    .string()
    .regex(/^(0|[1-9]\d{0,29})$/, 'an integer of wei')
    .optional()
    .describe(
      'An alarm fires when a sending key holds less than this amount in wei, or in lamports on Solana. When it is not set: a hundredth of the coin, or 0.05 SOL.',
    ),
};
