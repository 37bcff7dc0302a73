/** The whole way with Ponder itself: chain, Ponder's rows, projector, state. */
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningIndexer, runIndexer } from '../../src/facts/run-indexer.ts';
import { paymentFactHandlers } from '../../src/payments/facts/payment-fact-handler.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Listener, openListener } from '../../src/platform/database/listener.ts';
import { openLog, silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround } from '../payments/ground.ts';
import { freePort } from '../setup/free-port.ts';

let ground: Ground;
let indexer: RunningIndexer;
let listener: Listener;

beforeAll(async () => {
  ground = await openGround();
  const { database, registry: plain, nodes, evm, url } = ground;
  // Not told that the chain is local, it leaves Ponder all the time that it needs and never asks the node instead.
  const chain = (chainId: number) => {
    const found = plain.chain(chainId);
    return found && { ...found, local: false };
  };
  const registry = { ...plain, chain };
  listener = openListener({ url, log: silentLog });
  indexer = await runIndexer({
    config: {
      database: { url, directUrl: url, poolSize: 5 },
      ponder: { port: await freePort(), schema: 'ponder' },
      rpc: [evm.rpcSettings],
    },
    registry,
    nodes,
    database,
    clock: systemClock,
    listener,
    log: process.env.SLUICE_TEST_LOG ? openLog({ level: 'debug', part: 'indexer' }) : silentLog,
    handlers: paymentFactHandlers({ database, registry, nodes, clock: systemClock, hooks: {}, log: silentLog }),
  });
});

afterAll(async () => {
  await indexer?.stop();
  await listener?.close();
});

async function waitFor<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  const deadline = performance.now() + 150_000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > deadline) throw new Error(`Still ${inspect(value)}.`);
    await delay(50);
  }
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: ground.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the indexer with Ponder', () => {
  it('applies a payment from the chain, reverts it in a reorganization and applies it again', {
    timeout: 240_000,
  }, async () => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent);
    await ground.authorize(signed);
    const status = async () => (await ground.read(intent.id)).status;
    await waitFor(status, (value) => value === 'CAPTURED');
    expect(await ground.held(signed.id)).toBe(10_000_000n);

    await ground.evm.reorg(1);
    await ground.evm.mine();
    await waitFor(status, (value) => value === 'CREATED');
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'reverted']);
    expect(await ground.held(signed.id)).toBe(0n);

    await ground.authorize(signed);
    await waitFor(status, (value) => value === 'CAPTURED');
    expect((await ground.state(signed.id)).left).toBe(await ground.held(signed.id));
  });

  it('reports how far the chain was read and applied', async () => {
    await ground.evm.mine(3);
    const head = await ground.evm.publicClient.getBlockNumber();
    const cursor = await waitFor(
      () => ground.database.chainCursor.findUniqueOrThrow({ where: { chainId: ground.evm.chainId } }),
      ({ appliedNumber }) => appliedNumber >= head,
    );
    expect(cursor.headNumber).toBe(head);
    expect(cursor.finalizedNumber).toBeLessThan(head);
  });

  it('reports the same facts as the node itself', async () => {
    const rows = await query(
      `SELECT block_hash, log_index, kind, ref, tx_hash, lower(address) AS address, args::jsonb AS args
       FROM ponder.chain_event ORDER BY block_number, log_index`,
    );
    const head = await ground.evm.publicClient.getBlockNumber();
    const reading = await ground.source.read({ chainId: ground.evm.chainId, from: 0n, to: head });
    expect(rows).toEqual(
      reading.logs.map((log) => ({
        block_hash: log.blockHash,
        log_index: log.logIndex,
        kind: log.kind,
        ref: log.ref,
        tx_hash: log.txHash,
        address: log.address,
        args: log.args,
      })),
    );
  });
});
