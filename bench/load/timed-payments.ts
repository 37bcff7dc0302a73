import { setTimeout as delay } from 'node:timers/promises';
import type { Demo } from '../../src/local/demo-file.ts';
import { followBlocks } from './follow-blocks.ts';
import { openLiveClient, untilCaptured } from './follow-intent.ts';
import { openPayments } from './pay-directly.ts';

/** Ponder catches up with a chain for some seconds after its start, and payments of the demo settle after five seconds. */
export const SETTLED_MS = 15_000;

export type TimedPayments = {
  /** Makes one payment, and returns when its node announced the block and when a client received CAPTURED, in milliseconds. */
  next(): Promise<{ minedAt: number; pushedAt: number }>;
  close(): Promise<void>;
};

/** Payments by one transaction each, followed by a graphql-ws client. The first one has been made and is settled. */
export async function openTimedPayments(demo: Demo): Promise<TimedPayments> {
  const { chain, newIntent, pay } = await openPayments(demo);
  const blocks = await followBlocks(chain.rpcUrl);
  const client = openLiveClient(demo);
  const payments: TimedPayments = {
    async next() {
      const id = await newIntent();
      const pushed = untilCaptured(client, id);
      const blockNumber = await pay(id);
      const pushedAt = await pushed;
      const minedAt = blocks.minedAt.get(blockNumber);
      if (minedAt === undefined) throw new Error(`The node did not announce block ${blockNumber}.`);
      return { minedAt, pushedAt };
    },
    async close() {
      blocks.stop();
      await client.dispose();
    },
  };
  try {
    await payments.next();
    await delay(SETTLED_MS);
    return payments;
  } catch (error) {
    await payments.close();
    throw error;
  }
}
