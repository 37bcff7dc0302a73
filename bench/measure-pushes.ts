import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { followBlocks } from './follow-blocks.ts';
import { openLiveClient, untilCaptured } from './follow-intent.ts';
import { percentile } from './load.ts';
import { openPayments } from './pay-directly.ts';

/** Ponder catches up with a chain for some seconds after its start. */
const WARM_UP_MS = 10_000;

/** From a block being mined to its payment's new state being in a client's hands, one DIRECT payment at a time. */
export async function measurePushes({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  const { chain, newIntent, pay } = await openPayments(demo);
  const blocks = await followBlocks(chain.rpcUrl);
  const client = openLiveClient(demo);
  const spans: number[] = [];
  try {
    await pay(await newIntent());
    await delay(WARM_UP_MS);
    for (let number = 0; number < sizes.payments; number += 1) {
      const id = await newIntent();
      const pushed = untilCaptured(client, id);
      const blockNumber = await pay(id);
      const pushedAt = await pushed;
      const minedAt = blocks.minedAt.get(blockNumber);
      if (minedAt !== undefined) spans.push(pushedAt - minedAt);
    }
  } finally {
    blocks.stop();
    await client.dispose();
  }
  print(spans.map((span) => span.toFixed(0)).join(' '));
  const row = `| ${spans.length} payments | ${percentile(spans, 50).toFixed(0)} | ${percentile(spans, 99).toFixed(0)} |`;
  print(row);
  return `| block mined → state at a graphql-ws client | p50 ms | p99 ms |\n|---|---:|---:|\n${row}`;
}
