import pg from 'pg';
import type { Bench } from '../bench.ts';
import { seedIntents } from '../seeds/seed-intents.ts';
import { forkServer } from '../servers/fork-server.ts';
import { compareAll, type Row } from './compare.ts';
import { type Sent, sendCalls } from './send-calls.ts';

const IDS = 20_000;
const PAGES = 50;

/** CPU time of a request, compared with `node:http` and `pg` with the same rows and relations. */
export async function measureCpu(bench: Bench): Promise<string> {
  const { demo, databaseUrl } = bench.installation;
  const ids = await seed(bench);
  const reference = await forkServer('../cpu/reference-server.ts', { DATABASE_URL: databaseUrl, APP_ID: demo.appId });
  try {
    return await compareAll(bench, { reference, rows: rowsOf(demo, reference.url, ids) });
  } finally {
    reference.stop();
    await query(databaseUrl, 'DROP SCHEMA IF EXISTS reference CASCADE');
  }
}

/** Fills the app, and returns ids of its intents in random order. */
export async function seed({ installation, sizes }: Bench): Promise<string[]> {
  const { demo, databaseUrl } = installation;
  await createPattern(demo);
  await seedIntents(databaseUrl, { appId: demo.appId, count: sizes.rows });
  const found = await query(databaseUrl, 'SELECT id FROM payment_intent WHERE app_id = $1 ORDER BY random() LIMIT $2', [
    demo.appId,
    IDS,
  ]);
  return found.map(({ id }) => id);
}

async function query(connectionString: string, text: string, values: unknown[] = []): Promise<{ id: string }[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The reference writes copies of the newest intent and of an event, so there must be one of each. */
async function createPattern({ restUrl, secretKey }: Bench['installation']['demo']): Promise<void> {
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  await sendCalls(
    () => ({ url: `${restUrl}/payments/intents`, method: 'POST', headers, body: '{"amount":"12.50"}' }),
    1,
  );
}

function rowsOf(demo: Bench['installation']['demo'], referenceUrl: string, ids: readonly string[]): Row[] {
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const anyId = () => ids[Math.floor(Math.random() * ids.length)] ?? '';
  const anyPage = () => Math.floor(Math.random() * PAGES) + 1;
  const rest = (path: string): Sent => ({ url: `${demo.restUrl}${path}`, method: 'GET', headers });
  const graphql = (query: string, variables?: object): Sent => {
    return { url: demo.graphqlUrl, method: 'POST', headers, body: JSON.stringify({ query, variables }) };
  };
  const read = (path: string): Sent => ({ url: `${referenceUrl}${path}`, method: 'GET' });
  const body = () => JSON.stringify({ amount: '12.50', metadata: { order: crypto.randomUUID() } });
  const one = `query One($id: ID!) { paymentIntent(id: $id) { id amount currency status createdAt updatedAt metadata captureMode } }`;
  return [
    {
      name: 'a request that reads nothing',
      calls: 6_000,
      ours: () => graphql('{ __typename }'),
      reference: () => read('/nothing'),
    },
    {
      name: 'REST, one intent',
      calls: 3_000,
      ours: () => rest(`/payments/intents/${anyId()}`),
      reference: () => read(`/one/${anyId()}`),
    },
    {
      name: 'REST, one intent, one request at a time',
      calls: 1_500,
      connections: 1,
      ours: () => rest(`/payments/intents/${anyId()}`),
      reference: () => read(`/one/${anyId()}`),
    },
    {
      name: 'GraphQL, one intent',
      calls: 3_000,
      ours: () => graphql(one, { id: anyId() }),
      reference: () => read(`/one/${anyId()}`),
    },
    {
      name: 'REST, a page of 20 with its total',
      calls: 600,
      ours: () => rest(`/payments/intents?pageSize=20&page=${anyPage()}`),
      reference: () => read(`/page/${(anyPage() - 1) * 20}`),
    },
    {
      name: 'create, with all that it sets off',
      calls: 600,
      ours: () => ({ url: `${demo.restUrl}/payments/intents`, method: 'POST', headers, body: body() }),
      reference: () => ({ url: `${referenceUrl}/create`, method: 'POST', body: body() }),
    },
  ];
}
