/** Every environment variable, parsed once; all faults are reported together. Nothing else reads the environment. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const positiveInteger = z.coerce.number().int().positive();
const port = z.coerce.number().int().min(1).max(65535);
const privateKey = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)], { error: '0x and 64 hex digits' });
const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)], { error: '0x and 40 hex digits' });
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const environmentSchema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** Without a pooler between: LISTEN, advisory locks, the queue and Ponder. */
  DATABASE_DIRECT_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** Connections of one process for transactions and other writes, and for reads. */
  DATABASE_POOL_SIZE: positiveInteger.max(100).default(5),
  DATABASE_READ_POOL_SIZE: positiveInteger.max(100).default(5),
  /** For a free connection, and for a new one to be established. */
  DATABASE_CONNECT_TIMEOUT_MS: positiveInteger.min(100).max(10_000).default(5_000),
  DATABASE_LOCK_TIMEOUT_MS: positiveInteger.min(100).max(30_000).default(5_000),
  /** Of the API; more than the 10 s for which a call waits for another one with its idempotency key. */
  DATABASE_STATEMENT_TIMEOUT_MS: positiveInteger.min(11_000).max(600_000).default(15_000),
  /** Of worker, indexer and commands. */
  DATABASE_BATCH_TIMEOUT_MS: positiveInteger.min(11_000).max(3_600_000).default(120_000),
  /** Between two statements of a transaction. */
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: positiveInteger.min(1_000).max(60_000).default(10_000),
  /** A process that is silent for as long has lost its advisory locks. */
  DATABASE_LOCK_SESSION_TIMEOUT_MS: positiveInteger.min(1_000).max(600_000).default(20_000),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(4000),
  /** Where payers and merchants reach this installation, without a slash at the end. */
  PUBLIC_URL: z.url().optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** A JSON file with chains and tokens beside the built-in registry. */
  CHAINS_FILE: z.string().optional(),
  /** A YAML file of services whose answers stand beside ours in the graph. */
  GATEWAY_SOURCES: z.string().optional(),
  OPERATOR_PRIVATE_KEY: privateKey.optional(),
  /** A file that holds the operator's private key, instead of the variable. */
  OPERATOR_KEY_FILE: z.string().optional(),
  /** A signer that holds the operator's key elsewhere; it goes before the other two. */
  OPERATOR_SIGNER_URL: z.url({ protocol: /^https?$/ }).optional(),
  OPERATOR_SIGNER_TOKEN: z.string().min(1).optional(),
  ARBITER_PRIVATE_KEY: privateKey.optional(),
  ARBITER_ADDRESS: address.optional(),
  FEE_RECIPIENT: address.optional(),
  /** From which the keys of all vaults on Solana are derived. Losing it loses what lies in them. */
  SOLANA_VAULT_SECRET: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, '64 hex digits')
    .optional(),
  /** Pays the fees of what is sent on Solana: a secret key of 64 bytes in base58. */
  SOLANA_OPERATOR_KEY: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/, 'a secret key of 64 bytes in base58')
    .optional(),
  /** Payments with real money on Solana are custodial: they are taken only when this says so. */
  SOLANA_CUSTODIAL_MAINNET: flag.default(false),
  SOLANA_FEE_RECIPIENT: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address in base58')
    .optional(),
  QUOTE_SECONDS: positiveInteger.max(86_400).default(600),
  /** `market`: CoinGecko and Kraken together; `fixed` is refused in production. */
  PRICE_SOURCE: z.enum(['market', 'coingecko', 'kraken', 'fixed']).default('market'),
  /** Fixed prices in USD, "USDC=1,ETH=2500". */
  PRICE_TABLE: z.string().default(''),
  PRICE_STALE_SECONDS: positiveInteger.default(120),
  /** Given to each chain of a balance request. */
  BALANCE_TIMEOUT_MS: positiveInteger.max(60_000).default(5_000),
  /** How far one source may be off the median of all. */
  PRICE_DISAGREEMENT_PERCENT: z.coerce.number().positive().max(50).default(1),
  COINGECKO_URL: z.url().default('https://api.coingecko.com/api/v3'),
  KRAKEN_URL: z.url().default('https://api.kraken.com'),
  RATE_LIMIT_PER_SECOND: positiveInteger.default(100),
  RATE_LIMIT_BURST: positiveInteger.default(300),
  RATE_LIMIT_KEYLESS_PER_SECOND: positiveInteger.default(30),
  /** Of a request's line and headers; a larger head is 431. */
  REQUEST_HEAD_LIMIT_BYTES: positiveInteger
    .min(1024)
    .max(1024 * 1024)
    .default(16 * 1024),
  /** In which a client sends the whole head, and the whole request; a slower one is 408. */
  REQUEST_HEAD_TIMEOUT_SECONDS: positiveInteger.max(600).default(20),
  REQUEST_TIMEOUT_SECONDS: positiveInteger.max(3600).default(60),
  /** Large answers that are compressed at the same time; 0 compresses none. */
  COMPRESSIONS_AT_ONCE: z.coerce.number().int().min(0).max(1024).default(8),
  /** Proxies in front whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  /** Who may advance the test clock: secret keys and members who may write, or operators only. */
  TEST_CLOCK: z.enum(['keys', 'operator']).default('keys'),
  WEBHOOK_PRIVATE_ADDRESSES: flag.default(false),
  WEBHOOK_RETENTION_DAYS: positiveInteger.max(3650).default(90),
  /** Bytes of a request's body, with a good credential and without one. */
  BODY_BYTES: positiveInteger.min(65_536).max(16_777_216).default(1_048_576),
  KEYLESS_BODY_BYTES: positiveInteger.min(1_024).max(16_777_216).default(65_536),
  GRAPHQL_PERSISTED_ONLY: flag.default(false),
  /** Bytes of the text of a GraphQL document, with a good credential and without one. */
  GRAPHQL_DOCUMENT_BYTES: positiveInteger.min(1_024).default(65_536),
  GRAPHQL_KEYLESS_DOCUMENT_BYTES: positiveInteger.min(1_024).default(16_384),
  /** Lexical tokens of a document. */
  GRAPHQL_TOKENS: positiveInteger.max(20_000).default(3_000),
  /** Levels of selections of an operation. */
  GRAPHQL_DEPTH: positiveInteger.max(50).default(12),
  /** Selected fields of an operation, with its fragments expanded and every alias counted. */
  GRAPHQL_FIELDS: positiveInteger.max(5_000).default(400),
  GRAPHQL_COMPLEXITY: positiveInteger.default(20_000),
  GRAPHQL_PAYER_COMPLEXITY: positiveInteger.default(5_000),
  GRAPHQL_KEYLESS_COMPLEXITY: positiveInteger.default(2_000),
  /** Estimated memory of all parsed documents that a process keeps. */
  GRAPHQL_CACHE_BYTES: positiveInteger.min(1_048_576).default(33_554_432),
  /** Websockets and event streams that an address may have open without a credential of a merchant. */
  LIVE_CONNECTIONS_PER_ADDRESS: positiveInteger.default(200),
  /** Operations that one websocket may have open. */
  WEBSOCKET_OPERATIONS: positiveInteger.default(200),
  WEBSOCKET_FIRST_FRAME_BYTES: positiveInteger.min(1_024).max(1_048_576).default(16_384),
  /** Seals the keys that sign tokens, and one-time passwords. */
  TOKEN_SECRET: z.string().min(32, 'at least 32 characters').max(1024).optional(),
  OTP_PER_ADDRESS_HOUR: positiveInteger.max(1000).default(5),
  OTP_WRONG_PER_ADDRESS_DAY: positiveInteger.max(1000).default(20),
  OTP_PER_NETWORK_HOUR: positiveInteger.max(1_000_000).default(100),
  /** Of a project at WalletConnect: without it the pages offer the wallets of the browser only. */
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, '32 hex digits')
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.string().default('Sluice <no-reply@localhost>'),
  METRICS_PORT: port.optional(),
  PONDER_PORT: port.default(42069),
  PONDER_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/)
    .default('ponder'),
  /** A heartbeat of the indexer older than this makes its record unavailable. */
  INDEXER_STALE_SECONDS: positiveInteger.min(10).max(86_400).default(60),
});

export type RpcSettings = {
  chainId: number;
  /** The first that answers is used. */
  urls: string[];
  /** Where Ponder hears of new blocks at once; it polls where there is none, or while it is dead. */
  wsUrl?: string | undefined;
  /** A node that payers' browsers may ask: it is told to everybody who opens a page. */
  publicUrl?: string | undefined;
  confirmations: number | undefined;
  pollingIntervalMs: number;
  /** Base units of USD cents under which a relayed method is not offered. */
  relayMinimumUsd: string;
  maxFeePerGasWei: bigint;
  startBlock: bigint | undefined;
  /** Below it a sender's balance is an alarm; a hundredth of the coin where it is left out. */
  lowBalanceWei?: bigint | undefined;
};

export type Config = ReturnType<typeof parseConfig>;

/** Thrown when settings are missing or wrong; its message has one line a fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses the environment; throws one ConfigError that names every fault. */
export function parseConfig(environment: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const rpc = parseRpc({ ...nodesInFile(given.CHAINS_FILE), ...given }, faults);
  if (parsed.success) faults.push(...solanaFaults(parsed.data));
  if (parsed.data?.NODE_ENV === 'production' && parsed.data.PRICE_SOURCE === 'fixed') {
    faults.push('PRICE_SOURCE: fixed prices are for development, not for production');
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults.join('\n'));
  const env = parsed.data;
  const origin = env.PUBLIC_URL ?? `http://${env.HOST}:${env.PORT}`;
  return {
    environment: env.NODE_ENV,
    isProduction: env.NODE_ENV === 'production',
    database: {
      url: env.DATABASE_URL,
      directUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
      poolSize: env.DATABASE_POOL_SIZE,
      readPoolSize: env.DATABASE_READ_POOL_SIZE,
      bounds: {
        connectMs: env.DATABASE_CONNECT_TIMEOUT_MS,
        lockMs: env.DATABASE_LOCK_TIMEOUT_MS,
        statementMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
        idleTransactionMs: env.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
      },
      batchMs: env.DATABASE_BATCH_TIMEOUT_MS,
      lockSessionMs: env.DATABASE_LOCK_SESSION_TIMEOUT_MS,
    },
    host: env.HOST,
    port: env.PORT,
    publicUrl: origin.replace(/\/$/, ''),
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID,
    logLevel: env.LOG_LEVEL,
    chainsFile: env.CHAINS_FILE,
    gatewaySources:
      env.GATEWAY_SOURCES === undefined ? undefined : { file: env.GATEWAY_SOURCES, variables: foreignVariables(given) },
    rpc,
    operator: {
      privateKey: env.OPERATOR_PRIVATE_KEY,
      keyFile: env.OPERATOR_KEY_FILE,
      signer:
        env.OPERATOR_SIGNER_URL === undefined
          ? undefined
          : { url: env.OPERATOR_SIGNER_URL, token: env.OPERATOR_SIGNER_TOKEN },
    },
    arbiter: { privateKey: env.ARBITER_PRIVATE_KEY, address: env.ARBITER_ADDRESS },
    feeRecipient: env.FEE_RECIPIENT,
    solana: {
      vaultSecret: env.SOLANA_VAULT_SECRET?.toLowerCase(),
      operatorKey: env.SOLANA_OPERATOR_KEY,
      feeRecipient: env.SOLANA_FEE_RECIPIENT,
      custodialMainnet: env.SOLANA_CUSTODIAL_MAINNET,
    },
    quoteSeconds: env.QUOTE_SECONDS,
    prices: {
      source: env.PRICE_SOURCE,
      table: env.PRICE_TABLE,
      staleSeconds: env.PRICE_STALE_SECONDS,
      disagreementPercent: env.PRICE_DISAGREEMENT_PERCENT,
      coinGeckoUrl: env.COINGECKO_URL,
      krakenUrl: env.KRAKEN_URL,
    },
    balanceTimeoutMs: env.BALANCE_TIMEOUT_MS,
    rateLimits: {
      perSecond: env.RATE_LIMIT_PER_SECOND,
      burst: env.RATE_LIMIT_BURST,
      keylessPerSecond: env.RATE_LIMIT_KEYLESS_PER_SECOND,
    },
    http: {
      headLimitBytes: env.REQUEST_HEAD_LIMIT_BYTES,
      headTimeoutMs: env.REQUEST_HEAD_TIMEOUT_SECONDS * 1000,
      requestTimeoutMs: env.REQUEST_TIMEOUT_SECONDS * 1000,
      compressionsAtOnce: env.COMPRESSIONS_AT_ONCE,
    },
    trustedProxies: env.TRUSTED_PROXIES,
    testClock: env.TEST_CLOCK,
    webhooks: { privateAddresses: env.WEBHOOK_PRIVATE_ADDRESSES, retentionDays: env.WEBHOOK_RETENTION_DAYS },
    bodies: { bytes: env.BODY_BYTES, keylessBytes: env.KEYLESS_BODY_BYTES },
    graphql: {
      persistedOnly: env.GRAPHQL_PERSISTED_ONLY,
      documentBytes: env.GRAPHQL_DOCUMENT_BYTES,
      keylessDocumentBytes: env.GRAPHQL_KEYLESS_DOCUMENT_BYTES,
      tokens: env.GRAPHQL_TOKENS,
      depth: env.GRAPHQL_DEPTH,
      fields: env.GRAPHQL_FIELDS,
      complexity: env.GRAPHQL_COMPLEXITY,
      payerComplexity: env.GRAPHQL_PAYER_COMPLEXITY,
      keylessComplexity: env.GRAPHQL_KEYLESS_COMPLEXITY,
      cacheBytes: env.GRAPHQL_CACHE_BYTES,
    },
    live: {
      connectionsPerAddress: env.LIVE_CONNECTIONS_PER_ADDRESS,
      operationsPerConnection: env.WEBSOCKET_OPERATIONS,
      firstFrameBytes: env.WEBSOCKET_FIRST_FRAME_BYTES,
    },
    tokenSecret: env.TOKEN_SECRET,
    passwordLimits: {
      perAddressHour: env.OTP_PER_ADDRESS_HOUR,
      wrongPerAddressDay: env.OTP_WRONG_PER_ADDRESS_DAY,
      perNetworkHour: env.OTP_PER_NETWORK_HOUR,
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    metricsPort: env.METRICS_PORT,
    ponder: { port: env.PONDER_PORT, schema: env.PONDER_SCHEMA },
    chainRecord: { staleSeconds: env.INDEXER_STALE_SECONDS },
  };
}

/** The environment without our own settings: what a file of the operator may name, and send to another service. */
function foreignVariables(environment: Record<string, string | undefined>): ReadonlyMap<string, string> {
  const isOurs = (name: string) => name in environmentSchema.shape || /^(PUBLIC_)?RPC_(WS_)?URL_\d+$/.test(name);
  return new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || isOurs(name) ? [] : [[name, value] as const],
    ),
  );
}

/** Payments on Solana need both: a vault without a key that pays fees could take money and never give it out. */
function solanaFaults(
  env: Pick<z.infer<typeof environmentSchema>, `SOLANA_${'VAULT_SECRET' | 'OPERATOR_KEY'}`>,
): string[] {
  const names = ['SOLANA_VAULT_SECRET', 'SOLANA_OPERATOR_KEY'] as const;
  const missing = names.filter((name) => env[name] === undefined);
  return missing.length === 1 ? missing.map((name) => `${name}: needed for payments on Solana`) : [];
}

/** RPC_URL_<chainId> enables a chain; its other settings carry the same ending. */
/** The nodes that CHAINS_FILE names, as the variables that take precedence over them. What is wrong with the file the registry says. */
function nodesInFile(path: string | undefined): Record<string, string> {
  const entry = z.object({ chainId: z.int(), rpcUrl: z.union([z.url(), z.array(z.url())]) });
  try {
    const entries = path === undefined ? [] : z.array(z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')));
    const nodes = entries.flatMap((one) => entry.safeParse(one).data ?? []);
    return Object.fromEntries(nodes.map(({ chainId, rpcUrl }) => [`RPC_URL_${chainId}`, [rpcUrl].flat().join(',')]));
  } catch {
    return {};
  }
}

function parseRpc(environment: Record<string, string | undefined>, faults: string[]): RpcSettings[] {
  const settings: RpcSettings[] = [];
  for (const [name, value] of Object.entries(environment)) {
    const match = /^RPC_URL_(\d+)$/.exec(name);
    if (!match || value === undefined) continue;
    const chainId = Number(match[1]);
    const urls = value.split(',').map((url) => url.trim());
    for (const url of urls) if (!URL.canParse(url)) faults.push(`${name}: not a URL`);
    const read = <Value>(prefix: string, schema: z.ZodType<Value>): Value | undefined => {
      const text = environment[`${prefix}_${chainId}`];
      if (text === undefined) return undefined;
      const parsed = schema.safeParse(text);
      if (!parsed.success) faults.push(`${prefix}_${chainId}: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
      return parsed.data;
    };
    settings.push({
      chainId,
      urls,
      wsUrl: read('RPC_WS_URL', z.url({ protocol: /^wss?$/, error: 'a ws or wss URL' })),
      publicUrl: read('PUBLIC_RPC_URL', z.url({ protocol: /^https?$/, error: 'an http(s) URL' })),
      confirmations: read('CONFIRMATIONS', positiveInteger.max(10_000)),
      pollingIntervalMs: read('POLLING_INTERVAL_MS', positiveInteger.max(60_000)) ?? 1000,
      relayMinimumUsd:
        read('RELAY_MINIMUM_USD', z.string().regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, 'an amount like 0.50')) ?? '0',
      maxFeePerGasWei: BigInt(
        read('MAX_FEE_PER_GAS_WEI', z.string().regex(/^(0|[1-9]\d{0,19})$/, 'an integer of wei')) ?? '500000000000',
      ),
      startBlock: toBigInt(read('START_BLOCK', z.string().regex(/^\d{1,15}$/, 'a block number'))),
      lowBalanceWei: toBigInt(read('LOW_BALANCE_WEI', z.string().regex(/^(0|[1-9]\d{0,29})$/, 'an integer of wei'))),
    });
  }
  return settings.sort((left, right) => left.chainId - right.chainId);
}

function toBigInt(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}
