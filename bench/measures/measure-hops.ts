import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from '../bench.ts';
import { cpuBetween, type Role, takeSnapshot } from '../cpu/processes.ts';
import { percentile } from '../load/load.ts';
import { openTimedPayments, SETTLED_MS } from '../load/timed-payments.ts';

const REST_MS = 20_000;
const CHANNELS = ['ponder_live_query', 'sluice_events'] as const;

type Hops = { committed: number; folded: number; pushed: number };

/**
 * The latency of a payment from its block to a client, hop by hop: the node announces the block, Ponder announces its commit, the
 * projector's events are announced, and the client receives them. Then the CPU time of each part for a whole payment, from its creation to
 * its settlement, less the idle load of the part. Linux only.
 */
export async function measureHops({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl, folder } = installation;
  const payments = await openTimedPayments(demo);
  const announced = await followChannels(databaseUrl);
  const seen: Hops[] = [];
  try {
    const snapshot = () => takeSnapshot(folder, process.pid);
    const [atRest, restedAt] = [snapshot(), performance.now()];
    await delay(REST_MS);
    const rest = perSecond(cpuBetween(atRest, snapshot()), performance.now() - restedAt);
    const [before, startedAt] = [snapshot(), performance.now()];
    for (let number = 0; number < sizes.payments; number += 1) {
      const { minedAt, pushedAt } = await payments.next();
      const [commits, events] = CHANNELS.map((channel) => announced.get(channel) ?? []);
      const committedAt = commits?.find((at) => at >= minedAt);
      const foldedAt = events?.findLast((at) => at <= pushedAt);
      if (committedAt === undefined || foldedAt === undefined) continue;
      seen.push({ committed: committedAt - minedAt, folded: foldedAt - committedAt, pushed: pushedAt - foldedAt });
    }
    // The settlements are part of the cost.
    await delay(SETTLED_MS);
    const elapsedMs = performance.now() - startedAt;
    const used = cpuBetween(before, snapshot());
    const table = [hopTable(seen), cpuTable({ used, rest, elapsedMs, payments: sizes.payments })].join('\n\n');
    print(table);
    return table;
  } finally {
    await announced.close();
    await payments.close();
  }
}

async function followChannels(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const times = new Map<string, number[]>(CHANNELS.map((channel) => [channel, []]));
  client.on('notification', ({ channel }) => times.get(channel)?.push(performance.now()));
  for (const channel of CHANNELS) await client.query(`LISTEN ${channel}`);
  return { get: (channel: string) => times.get(channel), close: () => client.end() };
}

function hopTable(seen: readonly Hops[]): string {
  const row = (name: string, of: (hops: Hops) => number) => {
    const spans = seen.map(of);
    return `| ${name} | ${percentile(spans, 50).toFixed(0)} | ${percentile(spans, 99).toFixed(0)} |`;
  };
  const rows = [
    row('node announces the block → Ponder has committed its rows', ({ committed }) => committed),
    row('→ projector has folded them and announces the events', ({ folded }) => folded),
    row('→ client of graphql-ws receives CAPTURED', ({ pushed }) => pushed),
    row('together', ({ committed, folded, pushed }) => committed + folded + pushed),
  ];
  return `| hop, ${seen.length} payments | p50 ms | p99 ms |\n|---|---:|---:|\n${rows.join('\n')}`;
}

type Cost = {
  used: ReadonlyMap<Role, number>;
  rest: ReadonlyMap<Role, number>;
  elapsedMs: number;
  payments: number;
};

function cpuTable({ used, rest, elapsedMs, payments }: Cost): string {
  const roles = [...used.keys()].filter((role) => role !== 'reference');
  const costs = roles.map((role) => {
    const resting = ((rest.get(role) ?? 0) * elapsedMs) / 1000;
    return { role, ms: ((used.get(role) ?? 0) - resting) / payments };
  });
  const all = costs.reduce((sum, { ms }) => sum + ms, 0);
  const rows = [...costs, { role: 'together', ms: all }].map(({ role, ms }) => `| ${role} | ${ms.toFixed(1)} |`);
  return `| CPU of a payment, from its creation to its settlement | ms |\n|---|---:|\n${rows.join('\n')}`;
}

function perSecond(used: ReadonlyMap<Role, number>, elapsedMs: number): Map<Role, number> {
  return new Map([...used].map(([role, ms]) => [role, (ms / elapsedMs) * 1000]));
}
