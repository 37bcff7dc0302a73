import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import { openTimedPayments } from '../load/timed-payments.ts';

/** The time from a mined block to the arrival of its payment's new state at a client, one DIRECT payment at a time. */
export async function measurePushes({ installation, sizes, print }: Bench): Promise<string> {
  const payments = await openTimedPayments(installation.demo);
  const spans: number[] = [];
  try {
    for (let number = 0; number < sizes.payments; number += 1) {
      const { minedAt, pushedAt } = await payments.next();
      spans.push(pushedAt - minedAt);
    }
  } finally {
    await payments.close();
  }
  print(spans.map((span) => span.toFixed(0)).join(' '));
  const row = `| ${spans.length} payments | ${percentile(spans, 50).toFixed(0)} | ${percentile(spans, 99).toFixed(0)} |`;
  print(row);
  return `| block mined → state at a graphql-ws client | p50 ms | p99 ms |\n|---|---:|---:|\n${row}`;
}
