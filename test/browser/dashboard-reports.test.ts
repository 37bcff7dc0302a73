/** The reports page in a real browser: files, the reconciliation with what differs, and the proof. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mixedPayments } from '../payments/reports/mixed-payments.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

// Each test is a whole flow; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
/** Their numbers appear in no other test, because all tests share one installation. */
const FIRST = 700_000;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Shop with an accountant');
  const { database } = ground;
  const rows = mixedPayments({ appId: shop.appId, count: 28, seed: 5, first: FIRST });
  await database.paymentIntent.createMany({ data: rows.intents });
  await database.paymentTerms.createMany({ data: rows.terms });
  // Final, so that the running indexer does not look for them in its chain.
  const facts = rows.facts.map((fact) => ({
    ...fact,
    status: fact.status === 'CONFIRMED' ? ('FINAL' as const) : fact.status,
  }));
  await database.chainFact.createMany({ data: facts });
  await database.ledgerEntry.createMany({ data: rows.entries });
});

afterAll(async () => {
  const { database } = ground;
  const terms = await database.paymentTerms.findMany({ where: { paymentIntent: { appId: shop.appId } } });
  await database.chainFact.deleteMany({
    where: { chainId: 31337, ref: { in: terms.map(({ termsHash }) => termsHash) } },
  });
  await database.chainFact.deleteMany({ where: { chainId: 31337, kind: 'Claimed', blockNumber: { gte: FIRST * 10 } } });
  for (const table of [database.ledgerEntry, database.paymentTerms] as const) {
    await (table.deleteMany as (args: object) => Promise<unknown>)({ where: { paymentIntent: { appId: shop.appId } } });
  }
  await database.paymentIntent.deleteMany({ where: { appId: shop.appId } });
});

test('an accountant chooses a period, downloads reports, and sees differences between ledger and chain', async () => {
  const seen = await openPage();
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '' });
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.waitForURL(/\/dashboard\/reports/);
  await page.getByText('The end date is not over yet').waitFor();
  const { createdAt } = await ground.database.paymentIntent.findFirstOrThrow({ where: { appId: shop.appId } });
  const year = createdAt.getUTCFullYear();
  await page.getByLabel('Start date').fill(`${year}-01-01`);
  await page.getByLabel('End date').fill(`${year - 1}-12-31`);
  await page.getByText('The end date is before the start date').waitFor();
  expect(await page.getByRole('button', { name: 'Download', exact: true }).getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('End date').fill(`${year}-12-31`);

  const saved = async (button: string) => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: button, exact: true }).click();
    const download = await downloading;
    return { name: download.suggestedFilename(), text: readFileSync((await download.path()) ?? '', 'utf8') };
  };
  const payments = await saved('Download');
  expect(payments.name).toBe(`payments-${year}-01-01-${year}-12-31.csv`);
  expect(payments.text.trim().split('\r\n').length).toBe(29);
  await page.getByLabel('Report', { exact: true }).selectOption({ label: 'Ledger' });
  expect((await saved('Download')).text).toContain('Assets:Escrow:31337:USDC-31337');
  await page.getByLabel('Format').selectOption({ label: 'Beancount' });
  expect((await saved('Download')).name).toMatch(/\.beancount$/);

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Ledger and blockchain match').waitFor();
  const days = page.getByRole('table', { name: 'Transfers by day' });
  expect(await days.getByRole('row').count()).toBeGreaterThan(1);
  await days
    .getByText(/USDC on /)
    .first()
    .waitFor();
  await inspect(seen, 'reports-agree');

  const entry = await ground.database.ledgerEntry.findFirstOrThrow({
    where: { account: 'MERCHANT', kind: 'SETTLE', paymentIntent: { appId: shop.appId } },
  });
  await ground.database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount.plus(1) } });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('1 difference').waitFor();
  const differing = page.getByRole('table', { name: 'Differences, in base units' }).getByRole('row').nth(1);
  await differing.getByText('Different amounts').waitFor();
  await differing.getByText(entry.amount.plus(1).toFixed()).waitFor();
  await inspect(seen, 'reports-differences');
  expect((await saved('Download as CSV')).text).toContain(`AMOUNT,${entry.amount.plus(1).toFixed()}`);
});

test('the page is shown in German, and says that nothing is published', async () => {
  const { page } = await openPage({ language: 'de' });
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/reports' });
  await page.getByRole('heading', { name: 'Nachweis der Verbindlichkeiten' }).waitFor();
  await page.getByText('Diese Installation veröffentlicht ihre Verbindlichkeiten nicht.').waitFor();
});
