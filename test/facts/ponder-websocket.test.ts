/** Ponder is notified of blocks by a websocket, which stops sending and then disconnects. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningIndexer, runIndexer } from '../../src/facts/run-indexer.ts';
import { paymentFactHandlers } from '../../src/payments/facts/payment-fact-handler.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Listener, openListener } from '../../src/platform/database/listener.ts';
import { openLog, silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround } from '../payments/ground.ts';
import { openWebsocketProxy, type WebsocketProxy } from '../setup/api/websocket-proxy.ts';
import { freePort } from '../setup/free-port.ts';

/** Longer than a busy machine takes to start Ponder or to let it retry, and shorter than the test waits. */
const PATIENCE_MS = 10_000;

let ground: Ground;
let proxy: WebsocketProxy;
let indexer: RunningIndexer;
let listener: Listener;
let client: pg.Client;

beforeAll(async () => {
  ground = await openGround();
  const { database, registry, nodes, evm, url } = ground;
  proxy = await openWebsocketProxy(evm);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  listener = openListener({ url, log: silentLog });
  indexer = await runIndexer({
    config: {
      database: { url, directUrl: url, poolSize: 5 },
      ponder: { port: await freePort(), schema: 'ponder' },
      rpc: [{ ...evm.rpcSettings, wsUrl: proxy.url }],
    },
    registry,
    nodes,
    database,
    clock: systemClock,
    listener,
    log: process.env.SLUICE_TEST_LOG ? openLog({ level: 'debug', part: 'indexer' }) : silentLog,
    handlers: paymentFactHandlers({ database, registry, nodes, clock: systemClock, hooks: {}, log: silentLog }),
    patienceMs: PATIENCE_MS,
  });
});

afterAll(async () => {
  await indexer?.stop();
  await listener?.close();
  await client?.end();
});

/** Blocks come now and then, as on any chain that lives: a websocket tells of new ones only. */
async function untilMined(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 150_000;
  for (let turn = 1; !(await holds()); turn += 1) {
    if (performance.now() > deadline) throw new Error(`Never: ${what}.`);
    if (turn % 10 === 0) await ground.evm.mine();
    await delay(100);
  }
}

async function pay() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  return { signed, isApplied: async () => (await ground.read(intent.id)).status === 'CAPTURED' };
}

/** Has Ponder itself a row of that payment? */
async function isInPonder(id: string): Promise<boolean> {
  try {
    const found = await client.query('SELECT 1 FROM ponder.chain_event WHERE ref = $1 LIMIT 1', [id]);
    return found.rows.length > 0;
  } catch (error) {
    if (error instanceof pg.DatabaseError && ['42P01', '3F000'].includes(error.code ?? '')) return false;
    throw error;
  }
}

it('receives payments by websocket, and still does if one is silent or breaks', { timeout: 500_000 }, async () => {
  const first = await pay();
  await untilMined('Ponder has the payment by the websocket', () => isInPonder(first.signed.id));
  expect(proxy.passed()).toBeGreaterThan(1);
  await untilMined('the payment is applied', first.isApplied);

  proxy.silence();
  const second = await pay();
  await untilMined('the payment is applied without Ponder', second.isApplied);
  expect(await isInPonder(second.signed.id)).toBe(false);

  proxy.cut();
  const third = await pay();
  await untilMined(
    'Ponder polls, and has what it missed',
    async () => (await isInPonder(second.signed.id)) && (await isInPonder(third.signed.id)),
  );
  await untilMined('the last payment is applied', third.isApplied);
});
