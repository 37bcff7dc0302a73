import pg from 'pg';
import type { Bench } from './bench.ts';
import { percentile } from './load.ts';
import { EVENTS_PER_PAYMENT, type SeededPayment, sampleSeeded, seedPayments } from './seed-payments.ts';
import { openTimedPayments, type TimedPayments } from './timed-payments.ts';

const FEW = 10_000;
/** The calls take turns, so that other work on the machine falls on all of them. */
const ROUNDS = 150;
const WARM_UP = 50;
const FOLDED = 20;
const SAMPLES = 500;

const list = `query ($filter: PaymentIntentFilter!) { paymentIntents(filter: $filter, first: 20) { nodes { id amount currency status
  externalId cryptoAmount cryptoTokenKey createdAt updatedAt customerAccount { id name email } } pageInfo { endCursor } } }`;
const search = `query ($text: String!) { search(text: $text) { payments { id status externalId } customers { id email } } }`;

/** A request about one of the seeded payments. */
type Ask = { name: string; send: (payment: SeededPayment, turn: number) => Promise<void> };
type Spans = Map<string, number[]>;

/** What a request costs when the tables have grown, against 10,000 payments in the same installation. */
export async function measureGrowth({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, adminUrl, databaseUrl } = installation;
  const [chain] = demo.chains;
  const token = chain?.tokens[0];
  if (!chain || !token) throw new Error('The demo file names too little.');
  const seeding = { appId: demo.appId, chainId: chain.chainId, tokenKey: token.key };
  const timed = await openTimedPayments(demo);
  const measured: { spans: Spans; bytes: number }[] = [];
  try {
    for (const [from, count] of [
      [0, FEW],
      [FEW, sizes.grown],
    ] as const) {
      const startedAt = performance.now();
      await seedPayments(adminUrl, { ...seeding, from, count });
      print(`${count} payments after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
      const samples = await sampleSeeded(databaseUrl, { appId: demo.appId, count, take: SAMPLES });
      const spans = await takeTurns(asks({ ...installation, events: count * EVENTS_PER_PAYMENT }), samples);
      spans.set('from a mined block to CAPTURED at a client', await fold(timed));
      measured.push({ spans, bytes: await sizeOf(databaseUrl) });
      for (const [name, all] of spans) print(`${name}: ${percentile(all, 50).toFixed(2)} ms`);
    }
  } finally {
    await timed.close();
  }
  return tableOf(measured, sizes.grown);
}

function tableOf(measured: readonly { spans: Spans; bytes: number }[], grown: number): string {
  const [few, many] = measured;
  const rows = [...(few?.spans ?? [])].map(([name, before]) => {
    const after = many?.spans.get(name) ?? [];
    const [p50, p50After] = [percentile(before, 50), percentile(after, 50)];
    const figures = [p50, p50After, p50After / p50, percentile(before, 99), percentile(after, 99)];
    return `| ${name} | ${figures.map((figure) => figure.toFixed(2)).join(' | ')} |`;
  });
  const [mebibytes, mebibytesAfter] = measured.map(({ bytes }) => (bytes / 2 ** 20).toFixed(0));
  const counts = [FEW, grown].map((count) => count.toLocaleString('en'));
  return [
    `| payments in the tables | p50 ms with ${counts[0]} | p50 ms with ${counts[1]} | p50, ratio | p99 ms with ${counts[0]} | p99 ms with ${counts[1]} |`,
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
    '',
    `The database has ${mebibytes} MiB with ${counts[0]} payments and ${mebibytesAfter} MiB with ${counts[1]}, of which ${(grown * EVENTS_PER_PAYMENT).toLocaleString('en')} rows are events.`,
  ].join('\n');
}

/** Every request once a round. Throws at any answer but 200. */
async function takeTurns(all: readonly Ask[], samples: readonly SeededPayment[]): Promise<Spans> {
  const spans: Spans = new Map(all.map(({ name }) => [name, []]));
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const { name, send } of all) {
      const payment = samples[Math.floor(Math.random() * samples.length)];
      if (!payment) throw new Error('Nothing was seeded.');
      const askedAt = performance.now();
      await send(payment, round);
      if (round >= WARM_UP) spans.get(name)?.push(performance.now() - askedAt);
    }
  }
  return spans;
}

async function fold(timed: TimedPayments): Promise<number[]> {
  const spans: number[] = [];
  for (let number = 0; number < FOLDED; number += 1) {
    const { minedAt, pushedAt } = await timed.next();
    spans.push(pushedAt - minedAt);
  }
  return spans;
}

function asks({ demo, events }: Bench['installation'] & { events: number }): Ask[] {
  const { appId, restUrl, graphqlUrl, secretKey } = demo;
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  const rest = async (path: string, body?: object) => {
    await demandOk(
      await fetch(`${restUrl}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }),
    );
  };
  const graphql = async (query: string, variables: object) => {
    const answer = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const text = await demandOk(answer);
    if (text.includes('"errors"')) throw new Error(text);
  };
  const page = (filter: object) => graphql(list, { filter: { appId, ...filter } });
  return [
    { name: 'a request that reads nothing', send: () => graphql('{ __typename }', {}) },
    { name: 'create an intent', send: () => rest('/payments/intents', { amount: '10.00', currency: 'USD' }) },
    { name: 'read one intent', send: ({ id }) => rest(`/payments/intents/${id}`) },
    { name: 'REST, a page of 20 with its total', send: () => rest('/payments/intents?pageSize=20') },
    { name: 'dashboard, the newest 20', send: () => page({}) },
    { name: 'dashboard, 20 of a status', send: () => page({ status: ['SETTLED'] }) },
    { name: 'dashboard, those of a customer', send: ({ customerId }) => page({ customerAccountId: customerId }) },
    { name: 'dashboard, those of a hash', send: ({ txHash }) => page({ search: txHash }) },
    { name: 'search, the start of a reference', send: ({ reference }) => graphql(search, { text: reference }) },
    { name: 'search, a hash', send: ({ txHash }) => graphql(search, { text: txHash }) },
    { name: 'search, a wallet', send: ({ wallet }) => graphql(search, { text: wallet }) },
    {
      name: 'a page of 100 events after a number',
      send: () => rest(`/events?limit=100&after=${Math.floor(Math.random() * (events - 200))}`),
    },
  ];
}

async function demandOk(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text;
}

async function sizeOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database())::text AS bytes',
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}
