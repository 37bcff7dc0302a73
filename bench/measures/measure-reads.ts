import type { Bench } from '../bench.ts';
import { type Call, type Load, runLoad } from '../load/load.ts';
import { seedIntents } from '../seeds/seed-intents.ts';
import { forkServer } from '../servers/fork-server.ts';

const fields = `id appId externalId amount currency allowedChains allowedTokens captureMode status authorizedAt
  cryptoAmount cryptoTokenKey exchangeRate capturedAt timelockEndsAt settledAt platformFeeBps expiresAt metadata createdAt`;
const oneDocument = `query One($id: ID!) { paymentIntent(id: $id) { ${fields} } }`;
const pageDocument = `{ paymentIntentsPage(pageSize: 20) { items { ${fields} } total page pageSize totalPages } }`;

/** Reads of one intent and of the newest page of 20, by REST and GraphQL, compared with the same SQL without a gateway. */
export async function measureReads({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl } = installation;
  const id = await seedIntents(databaseUrl, { appId: demo.appId, count: sizes.rows });
  const bare = await forkServer('bare-server.ts', { DATABASE_URL: databaseUrl, APP_ID: demo.appId });
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const graphql = (query: string, variables: object): Call => {
    const body = JSON.stringify({ query, variables });
    return { url: demo.graphqlUrl, method: 'POST', headers, body: () => body };
  };
  const rest = (path: string): Call => ({ url: `${demo.restUrl}${path}`, method: 'GET', headers });
  const groups: [string, Record<'bare' | 'REST' | 'GraphQL', Call>][] = [
    [
      'one intent',
      {
        bare: { url: `${bare.url}/one/${id}`, method: 'GET' },
        REST: rest(`/payments/intents/${id}`),
        GraphQL: graphql(oneDocument, { id }),
      },
    ],
    [
      'page of 20',
      {
        bare: { url: `${bare.url}/page`, method: 'GET' },
        REST: rest('/payments/intents?pageSize=20'),
        GraphQL: graphql(pageDocument, {}),
      },
    ],
  ];
  try {
    const rows: string[] = [];
    for (const [name, calls] of groups) {
      const bareLoad = await runLoad(calls.bare, sizes);
      rows.push(row(name, 'bare', bareLoad, bareLoad));
      for (const by of ['REST', 'GraphQL'] as const)
        rows.push(row(name, by, await runLoad(calls[by], sizes), bareLoad));
      print(rows.slice(-3).join('\n'));
    }
    return `| read, out of ${sizes.rows.toLocaleString('en')} | by | requests/s | p50 ms | p99 ms | requests/s, of bare | p99, times bare |\n|---|---|---:|---:|---:|---:|---:|\n${rows.join('\n')}`;
  } finally {
    bare.stop();
  }
}

function row(name: string, by: string, load: Load, bare: Load): string {
  const share = (load.perSecond / bare.perSecond).toFixed(2);
  const times = (load.p99Ms / bare.p99Ms).toFixed(1);
  return `| ${name} | ${by} | ${load.perSecond.toFixed(0)} | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} | ${share} | ${times} |`;
}
