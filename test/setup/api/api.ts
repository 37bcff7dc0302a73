/** A whole API on a free port, over a fresh database: two merchants, their apps and keys, and chains without nodes. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../prisma/client.ts';
import type { World } from '../../../src/api/graphql/server/world.ts';
import { type ApiParts, type RunningApi, startApi } from '../../../src/api/start-api.ts';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { createApp } from '../../../src/auth/create-app.ts';
import { createMerchant } from '../../../src/auth/create-merchant.ts';
import { openCredentialMemory } from '../../../src/auth/credential-memory.ts';
import { setPayoutAddress } from '../../../src/auth/set-payout-address.ts';
import { openSecretKeys } from '../../../src/auth/tokens/secret-keys.ts';
import { openSigningKeys } from '../../../src/auth/tokens/signing-keys.ts';
import { openEvmNodes } from '../../../src/chains/evm/nodes.ts';
import { loadRegistry } from '../../../src/chains/registry.ts';
import type { NodeObservers } from '../../../src/chains/rpc-call.ts';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { openSuiNodes } from '../../../src/chains/sui/open-sui-nodes.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { openFeed } from '../../../src/events/feed.ts';
import type { GatewayOptions } from '../../../src/gateway/open-gateway.ts';
import { openOperatorSigner, openSenderKeys } from '../../../src/operator/operator-signer.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { openListener } from '../../../src/platform/database/listener.ts';
import { openLog } from '../../../src/platform/log.ts';
import { openPriceBook } from '../../../src/prices/open-price-book.ts';
import { testChains } from '../chains/test-chains.ts';
import { freshDatabase } from '../database/database.ts';
import { onTeardown } from '../teardown.ts';
import { openTestGraph } from './graph.ts';

export type TestApp = { merchantId: string; appId: string; secretKey: string; publishableKey: string };

export type GraphqlAnswer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it asked for.
  data: any;
  errors: GraphqlFault[] | undefined;
};

export type GraphqlFault = {
  message: string;
  path?: (string | number)[];
  extensions: {
    code: string;
    param?: string;
    details?: { param: string; message: string }[];
    requestId: string;
    retryable: boolean;
    http: { status: number };
  };
};

export type TestClock = Clock & { set(instant: Date): void; advance(seconds: number): void };

export type CallOptions = {
  key?: string | undefined;
  clientSecret?: string | undefined;
  headers?: Record<string, string>;
};

type TestApps = {
  merchantA: TestApp;
  merchantB: TestApp;
  /** A live app of merchant A. */
  liveApp: TestApp;
};

export type TestApi = TestApps & {
  url: string;
  databaseUrl: string;
  database: Database;
  world: World;
  clock: TestClock;
  running: RunningApi;
  graphql(document: string, variables?: Record<string, unknown>, options?: CallOptions): Promise<GraphqlAnswer>;
  close(): Promise<void>;
};

/** The well-known first key of development chains. It holds no funds on any public chain. */
const OPERATOR_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export type OpenApiOptions = {
  /** RPC URLs by chain id, for tests with real nodes. */
  rpc?: Record<number, string>;
  /** The contents of CHAINS_FILE; `testChains` by default. */
  chains?: unknown;
  environment?: Record<string, string>;
  parts?: (world: World) => ApiParts;
  /** The other sources of the graph, next to the core. */
  sources?: (made: { world: World } & TestApps) => Promise<GatewayOptions['sources']>;
  /** Called for each operation that passes through the gateway. */
  count?: GatewayOptions['count'];
  /** Notified of requests to nodes. */
  observers?: NodeObservers;
  /** The monotonic clock that determines how long credentials are cached. */
  rememberBy?: () => number;
};

/** With this clock nothing is cached, so every call reads its credential. For tests that count statements. */
export const neverRecent = () => Number.POSITIVE_INFINITY;

export function rememberedBy({ rememberBy }: Pick<OpenApiOptions, 'rememberBy'>): { nowMs?: () => number } {
  return rememberBy ? { nowMs: rememberBy } : {};
}

/** Closed automatically when the test file ends. The clock stays at the real start time until it is set. */
export async function openApi(options: OpenApiOptions = {}): Promise<TestApi> {
  const { database, url: databaseUrl } = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-api-'));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify(options.chains ?? testChains));
  const rpc = Object.entries(options.rpc ?? {}).map(([id, url]) => [`RPC_URL_${id}`, url]);
  const config = parseConfig({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    CHAINS_FILE: chainsFile,
    PRICE_SOURCE: 'fixed',
    PRICE_TABLE: 'USDC=1,USDT=1,ETH=2500,SOL=150,EUR=1.1',
    OPERATOR_PRIVATE_KEY: OPERATOR_KEY,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...Object.fromEntries(rpc),
    ...options.environment,
  });
  const log = openLog({ level: config.logLevel, part: 'test' });
  const clock = testClock();
  const registry = loadRegistry({ chainsFile, rpc: config.rpc });
  const listener = openListener({ url: databaseUrl, log });
  const feed = openFeed({ database, listener, log });
  const secretKeys = openSecretKeys(config);
  const world: World = {
    database,
    clock,
    realClock: clock,
    registry,
    nodes: openEvmNodes({ registry, rpc: config.rpc, ...options.observers }),
    solanaNodes: openSolanaNodes({ registry, rpc: config.rpc, ...options.observers }),
    suiNodes: openSuiNodes({ registry, rpc: config.rpc }),
    prices: openPriceBook({ clock, log, registry }, config.prices),
    operator: openOperatorSigner(config.operator),
    senderAddresses: openSenderKeys(config.senders).map(({ address }) => address),
    config,
    log,
    feed,
    secretKeys,
    signingKeys: openSigningKeys({ database, clock }, { sealKey: secretKeys.signing }),
    memory: openCredentialMemory({ database, listener, ...rememberedBy(options) }),
  };
  const merchantA = await newTestApp(world, { name: 'Alpha', mode: 'TEST' });
  const merchantB = await newTestApp(world, { name: 'Beta', mode: 'TEST' });
  const liveApp = await newTestApp(world, { name: 'Alpha live', mode: 'LIVE', merchantId: merchantA.merchantId });
  const sources = (await options.sources?.({ world, merchantA, merchantB, liveApp })) ?? [];
  const graph = await openTestGraph({ config, log, sources, count: options.count });
  const running = await startApi({ world, graph }, { host: '127.0.0.1', port: 0 }, options.parts?.(world));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= running
      .close()
      .then(() => feed.close())
      .then(() => listener.close())
      .then(() => rm(folder, { recursive: true, force: true }));
    return closed;
  };
  onTeardown(close);
  return {
    url: running.url,
    databaseUrl,
    database,
    world,
    clock,
    running,
    merchantA,
    merchantB,
    liveApp,
    graphql: (document, variables, call) => callGraphql(running.url, document, variables, call),
    close,
  };
}

/** Another app, with a secret key, a publishable key and an EVM payout address. Belongs to a new merchant unless one is named. */
export async function newTestApp(
  world: World,
  request: { name: string; mode: 'TEST' | 'LIVE'; merchantId?: string },
): Promise<TestApp> {
  const merchantId = request.merchantId ?? (await createMerchant(world, { name: request.name })).id;
  const app = await createApp(world, { merchantId, name: request.name, mode: request.mode });
  const scope = { merchantId, appId: app.id };
  const secret = await createApiKey(world, { scope, kind: 'SECRET' });
  const publishable = await createApiKey(world, { scope, kind: 'PUBLISHABLE' });
  await setPayoutAddress(world, { scope, family: 'EVM', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' });
  return { merchantId, appId: app.id, secretKey: secret.secret, publishableKey: publishable.secret };
}

export async function callGraphql(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
      ...(options.clientSecret === undefined ? {} : { 'x-client-secret': options.clientSecret }),
      ...options.headers,
    },
    body: JSON.stringify({ query, variables }),
  });
  const body = await response.json();
  return { status: response.status, headers: response.headers, data: body.data, errors: body.errors };
}

function testClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    set(instant) {
      offset = instant.getTime() - Date.now();
    },
    advance(seconds) {
      offset += seconds * 1000;
    },
  };
}
