/** Parses every environment variable once and reports all faults together. Nothing else reads the environment. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { chainSettings } from './chain-settings.ts';
import { ConfigError } from './config-error.ts';
import { environmentSchema } from './environment-settings.ts';

export type RpcSettings = {
  chainId: number;
  /** The first node that responds is used. */
  urls: string[];
  /** Announces new blocks to Ponder at once. Without it, or while the connection is down, Ponder polls. */
  wsUrl?: string | undefined;
  /** A node that payers' browsers may call. Every visitor of a payment page can see its URL. */
  publicUrl?: string | undefined;
  confirmations: number | undefined;
  pollingIntervalMs: number;
  /** Minimum payment in USD, as a decimal string. Below it, relayed methods are not offered. */
  relayMinimumUsd: string;
  /** Minimum balances of deposit addresses that are returned, in whole tokens by symbol. */
  returnMinimums?: ReadonlyMap<string, string> | undefined;
  maxFeePerGasWei: bigint;
  startBlock: bigint | undefined;
  /** Balance below which a sending key raises an alert, in wei or lamports. Defaults to a hundredth of the native coin, or 0.05 SOL. */
  lowBalanceWei?: bigint | undefined;
};

export type Config = ReturnType<typeof parseConfig>;

/** Parses the environment. Throws one ConfigError that names every fault. */
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
    senders: { privateKeys: env.SENDER_PRIVATE_KEYS, keysFile: env.SENDER_KEYS_FILE },
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
    liabilities: { isPublic: env.LIABILITIES_PUBLIC, retentionDays: env.LIABILITIES_RETENTION_DAYS },
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
    mail: {
      smtpUrl: env.SMTP_URL,
      from: env.MAIL_FROM,
      operator: env.OPERATOR_EMAIL,
      retentionDays: env.MAIL_RETENTION_DAYS,
    },
    metricsPort: env.METRICS_PORT,
    ponder: { port: env.PONDER_PORT, schema: env.PONDER_SCHEMA },
    chainRecord: { staleSeconds: env.INDEXER_STALE_SECONDS },
  };
}

/** The environment without Sluice's own settings: the variables that an operator's file may name and send to another service. */
function foreignVariables(environment: Record<string, string | undefined>): ReadonlyMap<string, string> {
  const isOurs = (name: string) => name in environmentSchema.shape || /^(PUBLIC_)?RPC_(WS_)?URL_\d+$/.test(name);
  return new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || isOurs(name) ? [] : [[name, value] as const],
    ),
  );
}

/** Payments on Solana require both settings: a vault without a key that pays fees could receive money and never pay it out. */
function solanaFaults(
  env: Pick<z.infer<typeof environmentSchema>, `SOLANA_${'VAULT_SECRET' | 'OPERATOR_KEY'}`>,
): string[] {
  const names = ['SOLANA_VAULT_SECRET', 'SOLANA_OPERATOR_KEY'] as const;
  const missing = names.filter((name) => env[name] === undefined);
  return missing.length === 1 ? missing.map((name) => `${name}: needed for payments on Solana`) : [];
}

/**
 * Returns the nodes that CHAINS_FILE names, in the form of the variables that take precedence over them. The registry reports errors in the
 * file.
 */
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

/** `RPC_URL_<chainId>` enables a chain. Its other settings have the same suffix. */
function parseRpc(environment: Record<string, string | undefined>, faults: string[]): RpcSettings[] {
  const settings: RpcSettings[] = [];
  for (const [name, value] of Object.entries(environment)) {
    const match = /^RPC_URL_(\d+)$/.exec(name);
    if (!match || value === undefined) continue;
    const chainId = Number(match[1]);
    const urls = value.split(',').map((url) => url.trim());
    for (const url of urls) if (!URL.canParse(url)) faults.push(`${name}: not a URL`);
    const read = <Name extends keyof typeof chainSettings>(setting: Name) => {
      const schema: (typeof chainSettings)[Name] = chainSettings[setting];
      const parsed = schema.safeParse(environment[`${setting}_${chainId}`]);
      if (!parsed.success) faults.push(`${setting}_${chainId}: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
      return parsed.data as z.output<(typeof chainSettings)[Name]>;
    };
    settings.push({
      chainId,
      urls,
      wsUrl: read('RPC_WS_URL'),
      publicUrl: read('PUBLIC_RPC_URL'),
      confirmations: read('CONFIRMATIONS'),
      pollingIntervalMs: read('POLLING_INTERVAL_MS'),
      relayMinimumUsd: read('RELAY_MINIMUM_USD'),
      returnMinimums: amountsBySymbol(read('DEPOSIT_RETURN_MINIMUM')),
      maxFeePerGasWei: toBigInt(read('MAX_FEE_PER_GAS_WEI')) ?? 0n,
      startBlock: toBigInt(read('START_BLOCK')),
      lowBalanceWei: toBigInt(read('LOW_BALANCE_WEI')),
    });
  }
  return settings.sort((left, right) => left.chainId - right.chainId);
}

/** Of "USDC=0.50,ETH=0.0002". */
function amountsBySymbol(text: string | undefined): ReadonlyMap<string, string> {
  const pairs = text === undefined ? [] : text.split(',').map((pair) => pair.split('='));
  return new Map(pairs.map(([symbol = '', amount = '0']) => [symbol, amount]));
}

function toBigInt(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}
