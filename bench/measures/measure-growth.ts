import pg from 'pg';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import { openTimedPayments, type TimedPayments } from '../load/timed-payments.ts';
import { EVENTS_PER_PAYMENT, type SeededPayment, sampleSeeded, seedPayments } from '../seeds/seed-payments.ts';
import { type Installation, openInstallation } from '../servers/open-installation.ts';

const FEW = 10_000;
/** The calls take turns, so that other work on the machine affects all of them. */
const ROUNDS = 200;
const WARM_UP = 50;
/** Requests that read whole tables are sent in fewer rounds. */
const SLOW_EVERY = 10;
const FOLDED = 20;
const SAMPLES = 500;

const OLD_EVENTS = '100 events from anywhere in the history';
const ONE_INTENT = 'read one intent';
/** The requests whose first responses are also in the table. */
const firstReads: ReadonlySet<string> = new Set([ONE_INTENT, OLD_EVENTS]);

const list = `query ($filter: PaymentIntentFilter!) { paymentIntents(filter: $filter, first: 20) { nodes { id amount currency status
  externalId cryptoAmount cryptoTokenKey createdAt updatedAt customerAccount { id name email } } pageInfo { endCursor } } }`;
const search = `query ($text: String!) { search(text: $text) { payments { id status externalId } customers { id email } } }`;

/** A seeded payment, and the number of an event somewhere in the history. */
type Sample = SeededPayment & { sequence: number };
/** A request about one of the seeded payments. */
type Ask = { name: string; send: (sample: Sample) => Promise<void>; isSlow?: boolean; isWrite?: boolean };
type Spans = Map<string, number[]>;
/** An installation with this number of payments. */
type Side = { count: number; all: Ask[]; samples: Sample[]; timed: TimedPayments; spans: Spans; bytes: number };

/**
 * The cost of a request with grown tables, compared with an installation with 10,000 payments on the same machine. Both take turns with
 * each request, so that other work on the machine affects both.
 */
export async function measureGrowth({ installation, sizes, print }: Bench): Promise<string> {
  const small = await openInstallation();
  const sides: Side[] = [];
  try {
    for (const [of, count] of [
      [small, FEW],
      [installation, sizes.grown],
    ] as const) {
      const startedAt = performance.now();
      sides.push(await openSide(of, count));
      print(`${count} payments after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    }
    await readOnce(sides);
    await takeTurns(sides);
    await fold(sides);
  } finally {
    for (const { timed } of sides) await timed.close();
    await small.stop();
  }
  return tableOf(sides);
}

async function openSide({ demo, adminUrl, databaseUrl }: Installation, count: number): Promise<Side> {
  const { appId } = demo;
  const [chain] = demo.chains;
  const token = chain?.tokens[0];
  if (!chain || !token) throw new Error('The demo file is incomplete.');
  const timed = await openTimedPayments(demo);
  await seedPayments(adminUrl, { appId, chainId: chain.chainId, tokenKey: token.key, from: 0, count });
  const events = count * EVENTS_PER_PAYMENT;
  const seeded = await sampleSeeded(databaseUrl, { appId, count, take: SAMPLES });
  const samples = seeded.map((one) => ({ ...one, sequence: Math.floor(Math.random() * (events - 200)) }));
  const all = asks(demo, events);
  return { count, all, samples, timed, spans: new Map(), bytes: await sizeOf(databaseUrl) };
}

/**
 * Reads every sample once, so that the turns compare rows that are in memory on both sides. The large database does not fit into it, and a
 * row of an old payment comes from the disk the first time.
 */
async function readOnce(sides: readonly Side[]): Promise<void> {
  for (let place = 0; place < SAMPLES; place += 1) {
    for (const { all, samples, spans } of sides) {
      const sample = samples[place % samples.length];
      if (!sample) throw new Error('Nothing was seeded.');
      for (const ask of all) {
        if (ask.isWrite) continue;
        const askedAt = performance.now();
        await ask.send(sample);
        if (firstReads.has(ask.name)) note(spans, `${ask.name}, for the first time`, performance.now() - askedAt);
      }
    }
  }
}

/** Sends every request to both sides once per round. Throws for any status other than 200. */
async function takeTurns(sides: readonly Side[]): Promise<void> {
  const requests = sides[0]?.all.length ?? 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const turns = round % 2 === 0 ? sides : sides.toReversed();
    for (let index = 0; index < requests; index += 1) {
      for (const { all, samples, spans } of turns) {
        const [ask, sample] = [all[index], samples[Math.floor(Math.random() * samples.length)]];
        if (!ask || !sample) throw new Error('Nothing was seeded.');
        if (ask.isSlow && round % SLOW_EVERY !== 0) continue;
        const askedAt = performance.now();
        await ask.send(sample);
        if (round >= WARM_UP) note(spans, ask.name, performance.now() - askedAt);
      }
    }
  }
}

async function fold(sides: readonly Side[]): Promise<void> {
  for (let number = 0; number < FOLDED; number += 1) {
    for (const { timed, spans } of sides) {
      const { minedAt, pushedAt } = await timed.next();
      note(spans, 'a payment: mined block → CAPTURED at a client', pushedAt - minedAt);
    }
  }
}

function note(spans: Spans, name: string, span: number): void {
  const known = spans.get(name);
  if (known) known.push(span);
  else spans.set(name, [span]);
}

function tableOf(sides: readonly Side[]): string {
  const [few, many] = sides;
  if (!few || !many) throw new Error('One side is missing.');
  const rows = [...few.spans].map(([name, before]) => {
    const after = many.spans.get(name) ?? [];
    const [p50, p50After] = [percentile(before, 50), percentile(after, 50)];
    const figures = [p50, p50After, p50After / p50, percentile(before, 99), percentile(after, 99)];
    return `| ${name} | ${figures.map((figure) => figure.toFixed(2)).join(' | ')} |`;
  });
  const [counts, mebibytes] = [
    sides.map(({ count }) => count.toLocaleString('en')),
    sides.map(({ bytes }) => (bytes / 2 ** 20).toFixed(0)),
  ];
  return [
    `| | p50 ms with ${counts[0]} payments | p50 ms with ${counts[1]} | p50, ratio | p99 ms with ${counts[0]} | p99 ms with ${counts[1]} |`,
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
    '',
    `The database has ${mebibytes[0]} MiB with ${counts[0]} payments and ${mebibytes[1]} MiB with ${counts[1]}; ${(many.count * EVENTS_PER_PAYMENT).toLocaleString('en')} of its rows are events.`,
  ].join('\n');
}

function asks({ appId, restUrl, graphqlUrl, secretKey }: Installation['demo'], events: number): Ask[] {
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  const rest = async (path: string, body?: object) => {
    await requireOk(
      await fetch(`${restUrl}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }),
    );
  };
  const graphql = async (query: string, variables: object) => {
    const answer = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const text = await requireOk(answer);
    if (text.includes('"errors"')) throw new Error(text);
  };
  const page = (filter: object) => graphql(list, { filter: { appId, ...filter } });
  return [
    { name: 'a request that reads nothing', send: () => graphql('{ __typename }', {}) },
    {
      name: 'create an intent',
      send: () => rest('/payments/intents', { amount: '10.00', currency: 'USD' }),
      isWrite: true,
    },
    { name: ONE_INTENT, send: ({ id }) => rest(`/payments/intents/${id}`) },
    { name: 'REST, a page of 20 with its total', send: () => rest('/payments/intents?pageSize=20') },
    { name: 'dashboard, the newest 20', send: () => page({}) },
    { name: 'dashboard, 20 of a status', send: () => page({ status: ['SETTLED'] }) },
    { name: 'dashboard, those of a customer', send: ({ customerId }) => page({ customerAccountId: customerId }) },
    { name: 'dashboard, those of a hash', send: ({ txHash }) => page({ search: txHash }) },
    {
      name: 'dashboard, part of a reference',
      send: ({ reference }) => page({ search: reference.slice(2) }),
      isSlow: true,
    },
    { name: 'search, the start of a reference', send: ({ reference }) => graphql(search, { text: reference }) },
    { name: 'search, a hash', send: ({ txHash }) => graphql(search, { text: txHash }) },
    { name: 'search, a wallet', send: ({ wallet }) => graphql(search, { text: wallet }) },
    { name: 'the newest 100 events', send: () => rest(`/events?limit=100&after=${events - 100}`) },
    {
      name: OLD_EVENTS,
      send: ({ sequence }) => rest(`/events?limit=100&after=${sequence}`),
    },
  ];
}

async function requireOk(answer: Response): Promise<string> {
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
