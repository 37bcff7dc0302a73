import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../test/browser/setup/find-chromium.ts';
import type { Bench } from '../bench.ts';
import { type DashboardLogin, dashboardLogin } from '../load/dashboard-login.ts';
import { type Call, type Load, percentile, runLoad } from '../load/load.ts';
import { type Scrolling, scrollPayments } from '../load/scroll-payments.ts';
import { seedIntents } from '../seeds/seed-intents.ts';

const FEW = 1_000;
const MANY = 100_000;
/** Number of payments that are scrolled through in the large list, which is ten times the small list. */
const SCROLLED = 10_000;

const list = `query ($filter: PaymentIntentFilter!) { paymentIntents(filter: $filter, first: 100) { nodes { id amount currency
  status externalId cryptoAmount cryptoTokenKey createdAt updatedAt customerAccount { id name email } } pageInfo { endCursor } } }`;

/** Number of times that the operators' page is opened, and of connections that read lists of payments meanwhile. */
const OPENINGS = 10;
const READERS = 8;

const operations = `{ installation { faults chains { chainId nodeBlock headBlock appliedBlock lagSeconds } senders { chainId address left
  isLow daysLeft } work { factsWaiting jobsReady jobsFailed webhooksDue intentsOverdue } books { chainId state payments drifting }
  outgoing { id status purpose } stuck { kind id state } alarms { alarm at what } } }`;

type Measured = { rows: number; load: Load; scrolling: Scrolling };

/**
 * The dashboard in Chromium: the list of payments, of an app with 100,000 payments compared with one with 1,000, and the operators' page
 * while the list is read.
 */
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
  let operators = '';
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
      if (rows === MANY) operators = await measureOperators({ installation, sizes }, { browser, busy: call });
    }
    print(operators);
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
    '',
    `| operators' page, of ${OPENINGS} openings beside ${READERS} readers | query p50 ms | query p99 ms | loaded p50 ms | loaded, slowest ms |`,
    '|---|---:|---:|---:|---:|',
    operators,
  ].join('\n');
}

/** Measures the operators' page from navigation to its tables, and its requests, while others send `busy`. */
async function measureOperators(
  { installation, sizes }: Pick<Bench, 'installation' | 'sizes'>,
  { browser, busy }: { browser: Browser; busy: Call },
): Promise<string> {
  const { demo, databaseUrl } = installation;
  const publicUrl = demo.restUrl;
  const login = await dashboardLogin(databaseUrl, { name: 'Operators', publicUrl, isOperator: true });
  const headers = { authorization: `Bearer ${login.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: operations });
  const asked: Call = { url: demo.graphqlUrl, method: 'POST', headers, body: () => body };
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(keepLogin, login);
  const [load, , spans] = await Promise.all([
    runLoad(asked, { connections: 1, seconds: sizes.seconds }),
    runLoad(busy, { connections: READERS, seconds: sizes.seconds }),
    (async () => {
      const taken: number[] = [];
      for (let opening = 0; opening < OPENINGS; opening += 1) {
        const page = await context.newPage();
        const startedAt = performance.now();
        await page.goto(`${publicUrl}/dashboard/operations`);
        // Checked in every frame. A locator would be checked every half second.
        await page.waitForFunction(() =>
          [...document.querySelectorAll('h2')].some((one) => one.textContent === 'Ledger'),
        );
        taken.push(performance.now() - startedAt);
        await page.close();
      }
      return taken;
    })(),
  ]);
  await context.close();
  const [half, slowest] = [percentile(spans, 50), percentile(spans, 100)];
  return `| ${MANY.toLocaleString('en')} payments | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} | ${half.toFixed(0)} | ${slowest.toFixed(0)} |`;
}

function rowOf({ rows, load, scrolling }: Measured): string {
  const { p50Ms, p99Ms, longTasks, longestMs } = scrolling;
  return `| ${rows.toLocaleString('en')} | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} | ${scrolling.rows.toLocaleString('en')} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${longTasks} | ${longestMs.toFixed(0)} |`;
}

/** Runs in the page, before its own scripts. */
function keepLogin({ token, expiresAt, memberId, email }: DashboardLogin): void {
  sessionStorage.setItem('sluice.login', JSON.stringify({ token, expiresAt, memberId, email }));
}
