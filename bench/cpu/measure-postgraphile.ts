import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { forkServer } from '../servers/fork-server.ts';
import { compareAll, type Row } from './compare.ts';
import { seed } from './measure-cpu.ts';
import type { Sent } from './send-calls.ts';

const PAGES = 50;
const FOLDER = join(import.meta.dirname, '..', 'postgraphile');

/** CPU time of GraphQL reads, compared with PostGraphile on the same tables, which checks no credentials and no costs. */
export async function measurePostgraphile(bench: Bench): Promise<string> {
  const { demo, databaseUrl } = bench.installation;
  install();
  const ids = await seed(bench);
  const reference = await forkServer('../postgraphile/server.mjs', {
    DATABASE_URL: databaseUrl,
    GRAPHILE_ENV: 'production',
  });
  try {
    return await compareAll(bench, { reference, rows: rowsOf(demo, `${reference.url}/graphql`, ids) });
  } finally {
    reference.stop();
  }
}

/** PostGraphile is not a dependency of the project, so it has a separate folder and lock file. */
function install(): void {
  if (existsSync(join(FOLDER, 'node_modules', 'postgraphile'))) return;
  const installed = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: 'inherit',
  });
  if (installed.status !== 0) throw new Error('PostGraphile could not be installed.');
}

const COLUMNS = 'amount currency status createdAt updatedAt metadata captureMode';
const STEPS = 'type status txHash amount createdAt';

function rowsOf(demo: Bench['installation']['demo'], referenceUrl: string, ids: readonly string[]): Row[] {
  const headers = { 'content-type': 'application/json' };
  const anyId = () => ids[Math.floor(Math.random() * ids.length)] ?? '';
  const anyPage = () => Math.floor(Math.random() * PAGES) + 1;
  const ours = (query: string, variables: object): Sent => {
    const credentials = { ...headers, 'x-api-key': demo.secretKey };
    return { url: demo.graphqlUrl, method: 'POST', headers: credentials, body: JSON.stringify({ query, variables }) };
  };
  const theirs = (query: string, variables: object): Sent => {
    return { url: referenceUrl, method: 'POST', headers, body: JSON.stringify({ query, variables }) };
  };
  return [
    {
      name: 'one intent',
      calls: 3_000,
      ours: () => ours(`query ($id: ID!) { paymentIntent(id: $id) { id ${COLUMNS} } }`, { id: anyId() }),
      reference: () =>
        theirs(`query ($id: UUID!) { paymentIntentByRowId(rowId: $id) { rowId ${COLUMNS} } }`, { id: anyId() }),
    },
    {
      name: 'a page of 20 with transactions and total',
      calls: 600,
      ours: () =>
        ours(
          `query ($page: Int!) { paymentIntentsPage(page: $page, pageSize: 20) {
            total items { id ${COLUMNS} transactions { id ${STEPS} } } } }`,
          { page: anyPage() },
        ),
      reference: () =>
        theirs(
          `query ($appId: UUID!, $offset: Int!) {
            allPaymentIntents(first: 20, offset: $offset, orderBy: PRIMARY_KEY_DESC, condition: { appId: $appId }) {
              totalCount nodes { rowId ${COLUMNS} transactionsByPaymentIntentId(first: 100, orderBy: PRIMARY_KEY_ASC) {
                nodes { rowId ${STEPS} } } } } }`,
          { appId: demo.appId, offset: (anyPage() - 1) * 20 },
        ),
    },
  ];
}
