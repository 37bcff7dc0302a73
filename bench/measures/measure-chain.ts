import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../prisma/client.ts';
import { deployMigrations } from '../../prisma/migrate.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { indexedChains } from '../../src/facts/ponder/ponder-settings.ts';
import { supervisePonder } from '../../src/facts/ponder/supervise-ponder.ts';
import { runIndexer } from '../../src/facts/run-indexer.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freePort } from '../../test/setup/free-port.ts';
import type { Bench } from '../bench.ts';
import { type BusyChain, openBusyChain } from '../load/busy-chain.ts';
import type { Installation } from '../servers/open-installation.ts';

const LIMIT_MS = 600_000;
const LOOK_MS = 50;

/**
 * Reads a chain's history of approvals into an empty database: by Ponder alone, by Ponder and the projector, and by the projector from the
 * node's own logs, each including its start.
 */
export async function measureChain({ installation, sizes, print }: Bench): Promise<string> {
  const chain = await openBusyChain({ events: sizes.approvals });
  try {
    const run = async (name: string, work: (url: string) => Promise<void>) => {
      const url = await ownDatabase(installation);
      const startedAt = performance.now();
      await work(url);
      const seconds = (performance.now() - startedAt) / 1000;
      print(`${name}: ${chain.events} events in ${seconds.toFixed(1)} s`);
      return { name, seconds };
    };
    const alone = await run('Ponder alone', (url) => readByPonder(chain, url));
    const others = [
      await run('Ponder and the projector', (url) => readByIndexer(chain, url)),
      await run("the projector, from the node's logs", (url) => readByProjector(chain, url)),
    ];
    const rows = [alone, ...others].map(({ name, seconds }) => {
      const rate = (chain.events / seconds).toFixed(0);
      return `| ${name} | ${seconds.toFixed(1)} | ${rate} | ${(alone.seconds / seconds).toFixed(2)} |`;
    });
    return `| ${chain.events} approvals in ${chain.head} blocks, read by | s | events/s | times Ponder alone |\n|---|---:|---:|---:|\n${rows.join('\n')}`;
  } finally {
    await chain.stop();
  }
}

async function readByPonder(chain: BusyChain, url: string): Promise<void> {
  const chains = indexedChains({
    chains: chain.registry.enabled(),
    rpc: [chain.rpc],
    startBlocks: new Map([[chain.chainId, 0n]]),
  });
  const options = { databaseUrl: url, viewsSchema: 'ponder', port: await freePort(), chains };
  const locks = openAdvisoryLocks({ url, log: silentLog });
  const ponder = supervisePonder({ log: silentLog, locks }, options);
  try {
    await untilCounted(url, { query: 'SELECT count(*) FROM ponder.chain_event', events: chain.events });
  } finally {
    await ponder.stop();
    await locks.close();
  }
}

/** Every approval is in the inbox and has been applied to its wallet. */
const APPLIED = `SELECT count(*) FROM chain_fact WHERE kind = 'Approval' AND applied_at IS NOT NULL`;

async function readByIndexer(chain: BusyChain, url: string): Promise<void> {
  const database = openDatabase({ url, poolSize: 5 });
  const world = { ...chain, database, clock: systemClock, log: silentLog };
  const config = {
    database: { url, directUrl: url, poolSize: 5 },
    ponder: { port: await freePort(), schema: 'ponder' },
    rpc: [chain.rpc],
  };
  // Ponder is measured, so the node is never read instead.
  const listener = openListener({ url, log: silentLog });
  const indexer = await runIndexer({ ...world, listener, config, handlers: factTable(world), patienceMs: LIMIT_MS });
  try {
    await untilCounted(url, { query: APPLIED, events: chain.events });
  } finally {
    await indexer.stop();
    await listener.close();
    await database.$disconnect();
  }
}

async function readByProjector(chain: BusyChain, url: string): Promise<void> {
  const database = openDatabase({ url, poolSize: 5 });
  const world = { ...chain, database, clock: systemClock, log: silentLog };
  const source = openLogSource(chain);
  const startBlocks = new Map([[chain.chainId, 0n]]);
  const projector = { ...world, source, handlers: factTable(world), memory: newProjectorMemory(), startBlocks };
  try {
    const until = performance.now() + LIMIT_MS;
    for (;;) {
      const { behind, applied } = await observeChain(projector, { chainId: chain.chainId });
      if (!behind && applied >= chain.head) return;
      if (performance.now() > until) throw new Error(`Block ${applied} of ${chain.head} was applied in time.`);
    }
  } finally {
    await database.$disconnect();
  }
}

async function ownDatabase({ databaseUrl, adminUrl }: Installation): Promise<string> {
  const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`;
  const url = new URL(databaseUrl);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} OWNER ${url.username}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  await deployMigrations(url.href);
  return url.href;
}

async function untilCounted(url: string, request: { query: string; events: number }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const until = performance.now() + LIMIT_MS;
    for (;;) {
      // The table does not exist before Ponder's first start.
      const answer = await client.query(request.query).catch(() => null);
      if (Number(answer?.rows[0]?.count ?? 0) >= request.events) return;
      if (performance.now() > until) throw new Error(`${request.events} events were not read in time.`);
      await delay(LOOK_MS);
    }
  } finally {
    await client.end();
  }
}
