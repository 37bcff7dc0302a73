/**
 * Every environment variable of an installation: its shape, its default and its description, in the sections of docs/configuration.md,
 * which is generated from this file. Only config.ts reads their values.
 */
import { z } from 'zod';

const positiveInteger = z.coerce.number().int().positive();
const port = z.coerce.number().int().min(1).max(65535);
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });
const privateKey = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)], { error: '0x and 64 hex digits' });
const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)], { error: '0x and 40 hex digits' });
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const server = {
  NODE_ENV: z
    .enum(['development', 'production', 'test'])
    .default('development')
    .describe('`production` refuses settings that are for development only, such as fixed prices.'),
  HOST: z.string().default('127.0.0.1').describe('The address on which the API listens.'),
  PORT: port.default(4000).describe('The port on which the API listens.'),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      'The base URL at which payers and merchants reach this installation. `http://<HOST>:<PORT>` when it is not set.',
    ),
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe(
      'The number of reverse proxies in front whose `X-Forwarded-For` header is trusted. Every limit per address depends on it.',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('The lowest level that is logged.'),
  METRICS_PORT: port
    .optional()
    .describe(
      'The port on which each process serves `/metrics` to any caller. When it is not set, the API serves `/metrics` on `PORT` to local callers only.',
    ),
  TOKEN_SECRET: z
    .string()
    .min(32, 'at least 32 characters')
    .max(1024)
    .optional()
    .describe(
      'Encrypts the keys that sign tokens, and protects one-time passwords, links to invoices, addresses of images, and secrets in responses that are kept for replays. At least 32 characters. Required in production; without it, a publicly known value is used.',
    ),
};

const database = {
  DATABASE_URL: postgresUrl.describe('The PostgreSQL database. It may go through a connection pooler.'),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without a connection pooler, for LISTEN, advisory locks, the job queue and Ponder. `DATABASE_URL` when it is not set.',
    ),
  DATABASE_POOL_SIZE: positiveInteger
    .max(100)
    .default(5)
    .describe('Connections of one process for transactions and other writes.'),
  DATABASE_READ_POOL_SIZE: positiveInteger.max(100).default(5).describe('Connections of one process for reads.'),
  DATABASE_CONNECT_TIMEOUT_MS: positiveInteger
    .min(100)
    .max(10_000)
    .default(5_000)
    .describe('How long a statement waits for a free connection, and how long a new connection may take.'),
  DATABASE_LOCK_TIMEOUT_MS: positiveInteger
    .min(100)
    .max(30_000)
    .default(5_000)
    .describe('How long a statement waits for a row that another transaction has locked (`lock_timeout`).'),
  DATABASE_STATEMENT_TIMEOUT_MS: positiveInteger
    .min(11_000)
    .max(600_000)
    .default(15_000)
    .describe(
      'The longest that a statement of the API may run (`statement_timeout`). It exceeds the 10 s for which a call waits for another one with the same idempotency key.',
    ),
  DATABASE_BATCH_TIMEOUT_MS: positiveInteger
    .min(11_000)
    .max(3_600_000)
    .default(120_000)
    .describe('The longest that a statement of the worker, the indexer or a command may run.'),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: positiveInteger
    .min(1_000)
    .max(60_000)
    .default(10_000)
    .describe('The longest pause between two statements of a transaction (`idle_in_transaction_session_timeout`).'),
  DATABASE_LOCK_SESSION_TIMEOUT_MS: positiveInteger
    .min(1_000)
    .max(600_000)
    .default(20_000)
    .describe('A process that has been silent for this long loses its session advisory locks to another process.'),
};

const chains = {
  CHAINS_FILE: z
    .string()
    .optional()
    .describe('A JSON file with chains and tokens that are merged into the built-in registry ([chains](chains.md)).'),
  PONDER_PORT: port.default(42069).describe("The port of Ponder's own server; the indexer reads its status there."),
  PONDER_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/)
    .default('ponder')
    .describe('The database schema of the tables that Ponder writes.'),
  INDEXER_STALE_SECONDS: positiveInteger
    .min(10)
    .max(86_400)
    .default(60)
    .describe("The record of the chains is unavailable when the indexer's last heartbeat is older than this."),
};

const keys = {
  OPERATOR_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      "The private key of the operator, who signs terms and sends transactions. It can never move a payer's money without that payer's signature.",
    ),
  OPERATOR_KEY_FILE: z
    .string()
    .optional()
    .describe("A file that holds the operator's private key, in place of `OPERATOR_PRIVATE_KEY`."),
  OPERATOR_SIGNER_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("A remote signer that holds the operator's key. It takes precedence over the other two."),
  OPERATOR_SIGNER_TOKEN: z.string().min(1).optional().describe('The bearer token for `OPERATOR_SIGNER_URL`.'),
  SENDER_PRIVATE_KEYS: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .pipe(z.array(privateKey).min(1))
    .optional()
    .describe(
      'Private keys, separated by commas, of the [sender keys](operations.md#sender-keys): they relay what the escrow accepts from any sender, such as settlements, charges and permits, and need the native coin for gas. They have no power over money. Without them, the operator relays it.',
    ),
  SENDER_KEYS_FILE: z
    .string()
    .optional()
    .describe('A file that holds the sender keys, one in each line, in place of `SENDER_PRIVATE_KEYS`.'),
  ARBITER_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      'The private key of the arbiter, who resolves disputes. Without an arbiter, there are no disputes. It must differ from the key of the operator.',
    ),
  ARBITER_ADDRESS: address
    .optional()
    .describe('The address of an arbiter whose key is held elsewhere, in place of `ARBITER_PRIVATE_KEY`.'),
  FEE_RECIPIENT: address
    .optional()
    .describe(
      'The address that receives the platform fee. Without it, no fee is charged. [Some addresses are refused](operations.md#addresses-that-are-refused).',
    ),
};

const solana = {
  SOLANA_VAULT_SECRET: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, '64 hex digits')
    .optional()
    .describe(
      'The secret from which the keys of all vaults are derived. If it is lost, their contents are lost ([Solana](solana.md)).',
    ),
  SOLANA_OPERATOR_KEY: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/, 'a secret key of 64 bytes in base58')
    .optional()
    .describe(
      'The secret key that pays the fees of settlements and refunds: 64 bytes in base58. It and `SOLANA_VAULT_SECRET` are set together; without them there are no payments on Solana.',
    ),
  SOLANA_CUSTODIAL_MAINNET: flag
    .default(false)
    .describe('Whether payments with real money are accepted on Solana. They are custodial.'),
  SOLANA_FEE_RECIPIENT: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address in base58')
    .optional()
    .describe('The wallet that receives the platform fee on Solana. Without it, no fee is charged there.'),
};

const prices = {
  PRICE_SOURCE: z
    .enum(['market', 'coingecko', 'kraken', 'fixed'])
    .default('market')
    .describe('`market` combines CoinGecko and Kraken. `fixed` uses `PRICE_TABLE` and is refused in production.'),
  PRICE_TABLE: z.string().default('').describe('Fixed prices in USD, such as `USDC=1,ETH=2500`.'),
  PRICE_STALE_SECONDS: positiveInteger.default(120).describe('A price older than this is not used for a quote.'),
  PRICE_DISAGREEMENT_PERCENT: z.coerce
    .number()
    .positive()
    .max(50)
    .default(1)
    .describe('How far the price of one source may deviate from the median of all.'),
  COINGECKO_URL: z.url().default('https://api.coingecko.com/api/v3').describe('The base URL of the CoinGecko API.'),
  KRAKEN_URL: z.url().default('https://api.kraken.com').describe('The base URL of the Kraken API.'),
  QUOTE_SECONDS: positiveInteger.max(86_400).default(600).describe('How long a quote is valid.'),
  BALANCE_TIMEOUT_MS: positiveInteger
    .max(60_000)
    .default(5_000)
    .describe('How long a balance request waits for each chain.'),
};

const requests = {
  RATE_LIMIT_PER_SECOND: positiveInteger
    .default(100)
    .describe(
      'Requests per second of one API key, member, operator or card user. A GraphQL operation takes one more unit for each 500 of its complexity.',
    ),
  RATE_LIMIT_BURST: positiveInteger.default(300).describe('The burst that `RATE_LIMIT_PER_SECOND` allows.'),
  RATE_LIMIT_KEYLESS_PER_SECOND: positiveInteger
    .default(30)
    .describe(
      'Requests per second, and the burst, of one address without a valid credential. IPv6 addresses count by their /64 prefix.',
    ),
  REQUEST_HEAD_LIMIT_BYTES: positiveInteger
    .min(1024)
    .max(1024 * 1024)
    .default(16 * 1024)
    .describe('The size of the request line and headers. A larger head is answered with 431.'),
  REQUEST_HEAD_TIMEOUT_SECONDS: positiveInteger
    .max(600)
    .default(20)
    .describe('How long a client may take to send the headers. A slower request is refused with 408.'),
  REQUEST_TIMEOUT_SECONDS: positiveInteger
    .max(3600)
    .default(60)
    .describe('How long a client may take to send the complete request. A slower request is refused with 408.'),
  BODY_BYTES: positiveInteger
    .min(65_536)
    .max(16_777_216)
    .default(1_048_576)
    .describe(
      'The size of a request body or a websocket frame with a valid credential. A larger one is refused with 413.',
    ),
  KEYLESS_BODY_BYTES: positiveInteger
    .min(1_024)
    .max(16_777_216)
    .default(65_536)
    .describe('The same without a valid credential.'),
  COMPRESSIONS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(0)
    .max(1024)
    .default(8)
    .describe(
      'Responses above 32 KiB that are compressed at the same time; others are sent uncompressed. 0 disables compression.',
    ),
};

const graphql = {
  GRAPHQL_PERSISTED_ONLY: flag
    .default(false)
    .describe('Whether `/graphql` refuses every document that is not shipped with this installation.'),
  GRAPHQL_DOCUMENT_BYTES: positiveInteger
    .min(1_024)
    .default(65_536)
    .describe('The size of a GraphQL document with a valid credential. A larger one is refused with 413.'),
  GRAPHQL_KEYLESS_DOCUMENT_BYTES: positiveInteger
    .min(1_024)
    .default(16_384)
    .describe('The same without a valid credential.'),
  GRAPHQL_TOKENS: positiveInteger.max(20_000).default(3_000).describe('Lexical tokens of a document.'),
  GRAPHQL_DEPTH: positiveInteger.max(50).default(12).describe('Levels of selection sets of an operation.'),
  GRAPHQL_FIELDS: positiveInteger
    .max(5_000)
    .default(400)
    .describe('Selected fields of an operation, with its fragments expanded and every alias counted.'),
  GRAPHQL_COMPLEXITY: positiveInteger
    .default(20_000)
    .describe("The complexity of an operation with a secret key or a member's token."),
  GRAPHQL_PAYER_COMPLEXITY: positiveInteger.default(5_000).describe('The complexity of an operation of a payer.'),
  GRAPHQL_KEYLESS_COMPLEXITY: positiveInteger
    .default(2_000)
    .describe('The complexity of an operation with a publishable key or without a credential.'),
  GRAPHQL_CACHE_BYTES: positiveInteger
    .min(1_048_576)
    .default(33_554_432)
    .describe('The estimated memory of all parsed documents that a process keeps.'),
  GATEWAY_SOURCES: z
    .string()
    .optional()
    .describe('A YAML file of services whose responses are joined to the graph ([gateway](gateway.md)).'),
  LIVE_CONNECTIONS_PER_ADDRESS: positiveInteger
    .default(200)
    .describe('Websockets and event streams that one address may have open without a credential of a merchant.'),
  WEBSOCKET_OPERATIONS: positiveInteger.default(200).describe('Operations that one websocket may have open.'),
  WEBSOCKET_FIRST_FRAME_BYTES: positiveInteger
    .min(1_024)
    .max(1_048_576)
    .default(16_384)
    .describe('The size of the first frame of a websocket, which carries the credential.'),
};

const people = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'The mail server. Without it, mails are printed to the log. Required in production to send invoices and login codes.',
    ),
  MAIL_FROM: z.string().default('Sluice <no-reply@localhost>').describe('The sender of mails.'),
  OPERATOR_EMAIL: z
    .email()
    .optional()
    .describe(
      'Email address that is notified when a sending key is running out of gas funds, at most once a day for each key and chain.',
    ),
  MAIL_RETENTION_DAYS: positiveInteger
    // The stored mail of a reminder prevents a second one, and a reminder may be sent 30 days before the renewal.
    .min(31)
    .max(3650)
    .default(90)
    .describe('Number of days for which sent and failed emails are listed, with their recipients.'),
  OTP_PER_ADDRESS_HOUR: positiveInteger
    .max(1000)
    .default(5)
    .describe('One-time passwords that are sent to one email address in an hour.'),
  OTP_WRONG_PER_ADDRESS_DAY: positiveInteger
    .max(1000)
    .default(20)
    .describe(
      'Wrong one-time passwords that are accepted for one email address in a day before further ones are refused.',
    ),
  OTP_PER_NETWORK_HOUR: positiveInteger
    .max(1_000_000)
    .default(100)
    .describe('One-time passwords that one network address may request in an hour.'),
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, '32 hex digits')
    .optional()
    .describe('The id of a WalletConnect project. Without it, the pages offer the wallets of the browser only.'),
};

const webhooks = {
  WEBHOOK_RETENTION_DAYS: positiveInteger
    .max(3650)
    .default(90)
    .describe(
      'How long webhook deliveries and their attempts are kept. Events are kept until `ops archive` moves them to files, and at least as long as their deliveries.',
    ),
  WEBHOOK_PRIVATE_ADDRESSES: flag
    .default(false)
    .describe(
      "Whether webhooks may be sent to private networks, and merchants' images fetched from there. For development.",
    ),
  TEST_CLOCK: z
    .enum(['keys', 'operator'])
    .default('keys')
    .describe(
      'Who may advance the [test clock](test-clock.md): secret keys and members who may write, or operators only.',
    ),
};

const reports = {
  LIABILITIES_PUBLIC: flag
    .default(false)
    .describe(
      'Whether the installation takes a daily snapshot of its [liabilities](liabilities.md) and publishes it with the balances of the escrow.',
    ),
  LIABILITIES_RETENTION_DAYS: positiveInteger
    .min(2)
    .max(3650)
    .default(90)
    .describe('Number of days for which snapshots of liabilities and their proofs are kept.'),
};

export const environmentSections = {
  'Server and processes': server,
  Database: database,
  'Chains and the indexer': chains,
  'Keys and recipients': keys,
  Solana: solana,
  'Prices, quotes and balances': prices,
  'Limits of requests': requests,
  'GraphQL and live connections': graphql,
  'Mail, one-time passwords and wallets': people,
  'Webhooks and testing': webhooks,
  Reports: reports,
};

export const environmentSchema = z.object({
  ...server,
  ...database,
  ...chains,
  ...keys,
  ...solana,
  ...prices,
  ...requests,
  ...graphql,
  ...people,
  ...webhooks,
  ...reports,
});
