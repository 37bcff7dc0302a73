import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ConfigError } from '../config/config-error.ts';
import { frugalAllocator } from '../platform/frugal-allocator.ts';
import { isRunningWith } from './child-process.ts';
import type { Demo } from './demo-file.ts';
import type { EvmNode } from './evm-node.ts';
import { checkoutFolder, type LocalSettings } from './local-settings.ts';
import { keepPostgres } from './postgres/keep-postgres.ts';
import { closeFolder, PRIVATE_FOLDER, writePrivateFile } from './private-files.ts';
import { endOrphan, type Part, runPart } from './run-part.ts';
import { openSetUp } from './set-up/run-set-up.ts';
import type { SolanaNode } from './solana/solana-node.ts';
import { startLocalSolana } from './solana/start-local-solana.ts';
import { startLocalChain } from './start-local-chain.ts';
import { startLocalSui } from './sui/local-sui.ts';
import type { SuiNode } from './sui/sui-node.ts';

export type StartWorld = {
  environment: Record<string, string | undefined>;
  log: (line: string) => void;
  /** Called with the function that stops what has just started. */
  onStarted: (close: () => Promise<void>) => void;
  /** Called when a part has ended too often. */
  onGivenUp: () => void;
};

export type Installation = {
  settings: LocalSettings;
  databaseUrl: string;
  nodes: EvmNode[];
  solana: SolanaNode | undefined;
  sui: SuiNode | undefined;
  parts: Part[];
  demoFile: string;
  /** Null if the chains are not local, because no wallet then holds money to try it with. */
  demo: Demo | null;
};

/** Far beyond a usual start, because a machine that is busy with other work is slow rather than broken. */
const readyLimitMs = 180_000;
const separateParts = ['worker', 'api', 'indexer'];
const singlePart = ['all'];
/** More frequent collection of short-lived objects is acceptable in background parts, since no caller waits for them. */
const SMALL_YOUNG_SPACE = '--max-semi-space-size=4';
/** Compiled modules are kept between starts. They also spare a process the compiler that removes types, which stays in its memory. */
const compiledFolder = join(checkoutFolder, 'generated', 'compiled');
const mainScript = join(checkoutFolder, 'src', 'main.ts');

/** Starts everything, each component once its dependencies are available, and resolves when a payment could be made. */
export async function startInstallation(settings: LocalSettings, world: StartWorld): Promise<Installation> {
  mkdirSync(settings.folder, { recursive: true, mode: PRIVATE_FOLDER });
  claimFolder(settings, world);
  const isRoot = process.getuid?.() === 0;
  closeFolder(settings.folder, { passable: isRoot && settings.databaseUrl === undefined });
  // End processes left from an earlier start before the database changes its owner.
  for (const name of [...separateParts, ...singlePart])
    await endOrphan({ pidFile: pidFileOf(name, settings), script: mainScript });
  const setUp = openSetUp({ NODE_COMPILE_CACHE: compiledFolder, ...world.environment });
  world.onStarted(setUp.stop);
  const [databaseUrl, nodes, solana, sui] = await allSettled([
    provideDatabase(settings, world),
    startChains(settings, world),
    startSolana(settings, world),
    startSui(settings, world),
  ]);
  // From now on it writes to what has just been started, so it must be stopped before that.
  world.onStarted(setUp.stop);
  const demoFile = join(settings.folder, 'demo.json');
  const { migrations, environment, demo } = await setUp.run({
    settings,
    databaseUrl,
    nodes: nodes.map(({ chainId, rpcUrl }) => ({ chainId, rpcUrl })),
    solana: solana ? { rpcUrl: solana.rpcUrl, wsUrl: solana.wsUrl } : null,
    sui: sui ? { url: sui.url } : null,
    demoFile,
  });
  if (migrations > 0) world.log(`Applied ${migrations} migrations.`);
  const partEnvironment = { ...environment, ...withoutEmpty(world.environment), DATABASE_URL: databaseUrl };
  const parts: Part[] = [];
  for (const name of settings.isOneProcess ? singlePart : separateParts)
    parts.push(await startPart(name, settings, { ...world, environment: environmentOf(name, partEnvironment) }));
  await untilReady({ settings, databaseUrl, nodes });
  return { settings, databaseUrl, nodes, solana, sui, parts, demoFile, demo };
}

/** Allows only one start per folder, because two would write to the same chain. */
function claimFolder(settings: LocalSettings, world: StartWorld): void {
  const file = join(settings.folder, 'start.pid');
  const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (owner > 0 && owner !== process.pid && isRunningWith(owner, 'src/local/start')) {
    throw new ConfigError(`LOCAL_FOLDER: ${settings.folder} is in use by process ${owner}.`);
  }
  writePrivateFile(file, String(process.pid));
  world.onStarted(async () => rmSync(file, { force: true }));
}

async function provideDatabase(settings: LocalSettings, world: StartWorld): Promise<string> {
  if (settings.databaseUrl !== undefined) return settings.databaseUrl;
  const options = { folder: join(settings.folder, 'postgres'), port: settings.postgresPort, log: world.log };
  const postgres = await keepPostgres(options, world);
  world.onStarted(postgres.stop);
  return postgres.url;
}

async function startChains(settings: LocalSettings, world: StartWorld): Promise<EvmNode[]> {
  if (settings.hasOwnChains) return [];
  return allSettled(
    settings.evmPorts.map(async ({ chainId, port }) => {
      const chain = await startLocalChain({ chainId, port, folder: settings.folder }, world);
      world.onStarted(chain.stop);
      return chain.node;
    }),
  );
}

async function startSolana(settings: LocalSettings, world: StartWorld): Promise<SolanaNode | undefined> {
  if (settings.hasOwnChains) return undefined;
  const node = await startLocalSolana({ port: settings.solanaPort, folder: settings.folder });
  world.onStarted(node.stop);
  return node;
}

async function startSui(settings: LocalSettings, world: StartWorld): Promise<SuiNode | undefined> {
  if (settings.hasOwnChains) return undefined;
  const node = await startLocalSui({ port: settings.suiPort });
  world.onStarted(node.stop);
  return node;
}

/**
 * Resolves with all results or rejects with the first failure, in both cases once every start has ended, so that none keeps running
 * unnoticed.
 */
async function allSettled<Starts extends readonly unknown[] | []>(
  starts: Starts,
): Promise<{ -readonly [Index in keyof Starts]: Awaited<Starts[Index]> }> {
  await Promise.allSettled(starts);
  return await Promise.all(starts);
}

/** METRICS_PORT belongs to one part. On one machine the API uses it, the worker the next port, and the indexer the port after that. */
function environmentOf(name: string, environment: Record<string, string | undefined>) {
  const first = Number(environment.METRICS_PORT);
  const offset = Math.max(0, ['api', 'worker', 'indexer'].indexOf(name));
  return {
    ...frugalAllocator,
    ...environment,
    ...(first > 0 ? { METRICS_PORT: String(first + offset) } : {}),
    NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE ?? compiledFolder,
    ...(name === 'api' || name === 'all'
      ? {}
      : { NODE_OPTIONS: `${SMALL_YOUNG_SPACE} ${environment.NODE_OPTIONS ?? ''}`.trim() }),
  };
}

async function startPart(name: string, settings: LocalSettings, world: StartWorld): Promise<Part> {
  const part = await runPart({
    name,
    command: [mainScript, name],
    folder: checkoutFolder,
    environment: world.environment,
    logFile: join(settings.folder, 'logs', `${name}.log`),
    pidFile: pidFileOf(name, settings),
    log: world.log,
    onGivenUp: world.onGivenUp,
  });
  world.onStarted(part.stop);
  return part;
}

function pidFileOf(name: string, settings: LocalSettings): string {
  return join(settings.folder, `${name}.pid`);
}

/** Waits until the API reports that it is ready and the indexer has read the head of every local chain since this call. */
async function untilReady(options: Pick<Installation, 'settings' | 'databaseUrl' | 'nodes'>): Promise<void> {
  const since = new Date();
  const deadline = Date.now() + readyLimitMs;
  const chainIds = options.nodes.map((node) => node.chainId);
  const client = new pg.Client({ connectionString: options.databaseUrl });
  await client.connect();
  try {
    let waitsFor = '';
    while (Date.now() < deadline) {
      const { rowCount: read } = await client.query(
        'SELECT FROM chain_cursor WHERE chain_id = ANY ($1) AND updated_at > $2',
        [chainIds, since],
      );
      const answers = await isReady(`http://127.0.0.1:${options.settings.port}/readyz`);
      if (answers && read === chainIds.length) return;
      waitsFor = answers ? 'indexer' : 'API';
      await delay(150);
    }
    throw new ConfigError(
      `The ${waitsFor} was not ready within ${readyLimitMs / 1000} s. Its log is in ${join(options.settings.folder, 'logs')}.`,
    );
  } finally {
    await client.end();
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function withoutEmpty(environment: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}
