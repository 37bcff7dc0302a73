import { spawn } from 'node:child_process';
import { z } from 'zod';
import { findChromium } from '../../test/browser/setup/find-chromium.ts';
import type { Bench } from '../bench.ts';
import { openInstallation } from '../servers/open-installation.ts';

/**
 * Run by npx and not a dependency: it brings some 130 packages, is needed only here, and each of its versions scores differently, so the
 * version is a part of the figures.
 */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const RUNS = 5;
const RUN_LIMIT_MS = 180_000;
/** The minimum score out of 100, for categories that do not depend on the load of the machine. */
const LEAST = 95;

const categories = ['performance', 'accessibility', 'best-practices'] as const;

const reportSchema = z.object({
  runtimeError: z.object({ message: z.string() }).optional(),
  categories: z.object({
    performance: z.object({ score: z.number() }),
    accessibility: z.object({ score: z.number() }),
    'best-practices': z.object({ score: z.number() }),
  }),
  audits: z.object({
    'largest-contentful-paint': z.object({ numericValue: z.number() }),
    'total-blocking-time': z.object({ numericValue: z.number() }),
    'cumulative-layout-shift': z.object({ numericValue: z.number() }),
    'network-requests': z.object({
      details: z.object({ items: z.array(z.object({ transferSize: z.number().default(0) })) }),
    }),
  }),
});

type Report = z.infer<typeof reportSchema>;

/** Measures the payers' pages with Lighthouse's mobile profile, without a wallet: the medians of five visits. */
export async function measureLighthouse({ print }: Omit<Bench, 'installation'>): Promise<string> {
  const installation = await openInstallation();
  process.once('SIGINT', () => void installation.stop().finally(() => process.exit(130)));
  try {
    const { restUrl, appId, secretKey } = installation.demo;
    const call = async (path: string, body: object) => await post(`${restUrl}${path}`, { secretKey, body });
    const items = [{ name: 'Green tea', amount: '12.50' }];
    const session = await call('/checkout-sessions', { items, expiresInMinutes: 1_440 });
    const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
    await call('/payment-links', { appId, name: 'Green tea', slug, amount: '12.50' });
    const pages = {
      '/checkout/:id': `${restUrl}/checkout/${session.id}#${session.clientSecret}`,
      '/link/:slug': `${restUrl}/link/${slug}`,
    };
    const rows: string[] = [];
    for (const [name, url] of Object.entries(pages)) {
      const reports: Report[] = [];
      while (reports.length < RUNS) reports.push(await visit(url));
      const row = rowOf(name, reports);
      print(row);
      rows.push(row);
    }
    return [
      `Medians of ${RUNS} visits with \`${LIGHTHOUSE}\`, mobile profile (a slow phone at 1.6 Mbit/s, simulated from what was loaded).`,
      '',
      '| page | performance | accessibility | best practices | largest paint ms | blocked ms | layout shift | requests | kB |',
      '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
      ...rows,
      '',
      'The performance of a page that was measured on a busy machine is open: everything in its row up to the blocked time rises with the load.',
    ].join('\n');
  } finally {
    await installation.stop();
  }
}

function rowOf(name: string, reports: readonly Report[]): string {
  const median = (of: (report: Report) => number): number => {
    const sorted = reports.map(of).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const score = (category: (typeof categories)[number]) =>
    Math.round(100 * median((report) => report.categories[category].score));
  for (const category of ['accessibility', 'best-practices'] as const) {
    if (score(category) < LEAST) throw new Error(`${name}: ${category} is ${score(category)}, less than ${LEAST}.`);
  }
  const value = (audit: 'largest-contentful-paint' | 'total-blocking-time' | 'cumulative-layout-shift') =>
    median((report) => report.audits[audit].numericValue);
  const loaded = (report: Report) => report.audits['network-requests'].details.items;
  const bytes = median((report) => loaded(report).reduce((sum, { transferSize }) => sum + transferSize, 0));
  const cells = [
    ...categories.map((category) => String(score(category))),
    value('largest-contentful-paint').toFixed(0),
    value('total-blocking-time').toFixed(0),
    value('cumulative-layout-shift').toFixed(3),
    String(median((report) => loaded(report).length)),
    (bytes / 1000).toFixed(0),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

/** One visit with an empty cache, in the browser that the tests use. */
async function visit(url: string): Promise<Report> {
  const { executablePath, environment } = findChromium();
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage'];
  const options = ['--quiet', '--output=json', `--only-categories=${categories.join(',')}`];
  const command = ['--yes', LIGHTHOUSE, url, ...options, `--chrome-flags=${flags.join(' ')}`];
  const child = spawn('npx', command, {
    env: { ...process.env, ...environment, CHROME_PATH: executablePath },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_LIMIT_MS,
  });
  const chunks: Buffer[] = [];
  const faults: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => faults.push(String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${LIGHTHOUSE} ended with ${code}:\n${faults.join('')}`);
  const report = reportSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (report.runtimeError) throw new Error(report.runtimeError.message);
  return report;
}

async function post(url: string, { secretKey, body }: { secretKey: string; body: object }) {
  const headers = {
    'x-api-key': secretKey,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}
