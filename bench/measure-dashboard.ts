import { chromium } from 'playwright-core';
import { findChromium } from '../test/browser/setup/find-chromium.ts';
import type { Bench } from './bench.ts';
import { type DashboardLogin, dashboardLogin } from './dashboard-login.ts';
import { type Load, runLoad } from './load.ts';
import { type Scrolling, scrollPayments } from './scroll-payments.ts';
import { seedIntents } from './seed-intents.ts';

const FEW = 1_000;
const MANY = 100_000;
/** Of the many, so many are scrolled through: ten times the few. */
const SCROLLED = 10_000;

const list = `query ($filter: PaymentIntentFilter!) { paymentIntents(filter: $filter, first: 100) { nodes { id amount currency
  status externalId cryptoAmount cryptoTokenKey createdAt updatedAt customerAccount { id name email } } pageInfo { endCursor } } }`;

type Measured = { rows: number; load: Load; scrolling: Scrolling };

/** The dashboard's list of payments in Chromium, of an app with 100,000 against one with 1,000. */
export async function measureDashboard({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl } = installation;
  const publicUrl = demo.restUrl;
  const { executablePath, environment } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...environment },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run'],
  });
  const measured: Measured[] = [];
  try {
    for (const rows of [FEW, MANY]) {
      const login = await dashboardLogin(databaseUrl, { name: `${rows} payments`, publicUrl });
      await seedIntents(databaseUrl, { appId: login.appId, count: rows });
      const headers = { authorization: `Bearer ${login.token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ query: list, variables: { filter: { appId: login.appId } } });
      const call = { url: demo.graphqlUrl, method: 'POST' as const, headers, body: () => body };
      const load = await runLoad(call, { connections: 1, seconds: sizes.seconds });
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      await context.addInitScript(keepLogin, login);
      const page = await context.newPage();
      await page.goto(`${publicUrl}/dashboard/payments`);
      const scrolling = await scrollPayments(page, { rows: Math.min(rows, SCROLLED) });
      await context.close();
      measured.push({ rows, load, scrolling });
      print(rowOf({ rows, load, scrolling }));
    }
  } finally {
    await browser.close();
  }
  const [few, many] = measured;
  const ratio = (of: (one: Measured) => number) => (few && many ? (of(many) / of(few)).toFixed(2) : '');
  const ratios = `| 100,000, times 1,000 | ${ratio(({ load }) => load.p50Ms)} | ${ratio(({ load }) => load.p99Ms)} | | ${ratio(({ scrolling }) => scrolling.p50Ms)} | ${ratio(({ scrolling }) => scrolling.p99Ms)} | | |`;
  return [
    '| list of payments in the dashboard, out of | query p50 ms | query p99 ms | rows scrolled | frame p50 ms | frame p99 ms | tasks over 50 ms | longest ms |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...measured.map(rowOf),
    ratios,
  ].join('\n');
}

function rowOf({ rows, load, scrolling }: Measured): string {
  const { p50Ms, p99Ms, longTasks, longestMs } = scrolling;
  return `| ${rows.toLocaleString('en')} | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} | ${scrolling.rows.toLocaleString('en')} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${longTasks} | ${longestMs.toFixed(0)} |`;
}

/** Runs in the page, before its own scripts. */
function keepLogin({ token, expiresAt, email }: DashboardLogin): void {
  sessionStorage.setItem('sluice.login', JSON.stringify({ token, expiresAt, email }));
}
