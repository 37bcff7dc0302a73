/** The dashboard in a real browser, against payments that are made meanwhile. */
import { beforeAll, expect, test } from 'vitest';
import type { LocalAccount } from '../../src/local/local-accounts.ts';
import { fiatFigure, tokenFigure } from '../../web/src/ui/formats/money.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { inspect, logIn } from './setup/visit-dashboard.ts';

const PATIENCE_MS = 90_000;

let ground: BrowserGround;
let shop: ShopGround;
let payer: LocalAccount;

beforeAll(async () => {
  ground = await openBrowserGround();
  [shop, payer] = await Promise.all([ground.openShop('Corner shop'), ground.newPayer()]);
});

async function pay(amount: string, externalId: string): Promise<void> {
  const { id } = await shop.call('POST', '/payments/intents', { amount, externalId });
  await payIntent({ ground, shop, payer }, id);
}

/** A part of the money as the ledger has it, in base units of the one token that was paid in. */
async function booked(account: 'ESCROW' | 'MERCHANT' | 'FEE'): Promise<bigint> {
  const where = { account, paymentIntent: { appId: shop.appId } };
  const { _sum } = await ground.database.ledgerEntry.aggregate({ where, _sum: { amount: true } });
  return BigInt(_sum.amount?.toFixed(0) ?? '0');
}

test('a member logs in with a mailed code, and sees the books and what is paid meanwhile', async () => {
  await pay('12.50', 'order 1');
  const seen = await openPage({ expected: [/401/] });
  const { page } = seen;
  await page.goto(`${ground.origin}/dashboard?range=week`);
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await inspect(seen, 'dashboard-login');
  await page.getByLabel('E-mail address').fill(shop.ownerEmail);
  await page.getByRole('button', { name: 'Mail me a code' }).click();
  const code = await ground.loginCode(shop.ownerEmail);
  await page.getByLabel('Code', { exact: true }).fill(code === '000000' ? '000001' : '000000');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('This code is wrong, used or too old.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();

  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('Test mode: no real money moves.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'order 1' });
  await row.getByText('Settled').waitFor({ timeout: PATIENCE_MS });

  // Paid by others while the page stands there: it is told, not asked again.
  const figure = (part: string) => page.locator(`[data-part="${part}"]`);
  await pay('7.25', 'order 2');
  await page.getByRole('row').filter({ hasText: 'order 2' }).getByText('Settled').waitFor({ timeout: PATIENCE_MS });
  await figure('received')
    .getByText(fiatFigure('en', '19.75', 'USD'), { exact: true })
    .waitFor({ timeout: PATIENCE_MS });
  for (const [part, account] of [
    ['settled', 'MERCHANT'],
    ['fees', 'FEE'],
  ] as const) {
    const units = await booked(account);
    if (units === 0n) continue;
    const { words } = tokenFigure('en', units, 6);
    await figure(part).getByText(words, { exact: false }).first().waitFor({ timeout: PATIENCE_MS });
  }
  expect(await booked('ESCROW')).toBe(0n);
  await figure('held')
    .getByText(fiatFigure('en', '0', 'USD'), { exact: true })
    .waitFor({ timeout: PATIENCE_MS });
  await page.getByRole('img', { name: /19\.75 USD/ }).waitFor();
  await inspect(seen, 'dashboard-overview');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('order 2');
  await page.getByRole('option').filter({ hasText: 'order 2' }).waitFor();
  await inspect(seen, 'dashboard-search');
  await page.keyboard.press('Escape');
});

test('an owner changes settings, invites, and makes an app; a viewer’s forged call is refused', async () => {
  const seen = await openPage({ expected: [/403/] });
  const { page } = seen;
  await page.goto(`${ground.origin}/dashboard/settings?part=members`);
  await logIn(ground, page, { email: shop.ownerEmail });
  const viewerEmail = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await page.getByLabel('Invite by e-mail').fill(viewerEmail);
  await page.getByLabel('Role', { exact: true }).selectOption('VIEWER');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('row').filter({ hasText: viewerEmail }).waitFor();
  await inspect(seen, 'dashboard-members');

  await page.getByRole('tab', { name: 'General' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Corner shop, renamed');
  await page.getByRole('button', { name: 'Save the settings' }).click();
  await page.getByRole('button', { name: 'App Corner shop, renamed, change' }).waitFor();
  await inspect(seen, 'dashboard-settings');
  for (const part of ['Payouts', 'Look']) {
    await page.getByRole('tab', { name: part }).click();
    await page.getByRole('heading', { name: part }).waitFor();
    await inspect(seen, `dashboard-${part.toLowerCase()}`);
  }
  await page.getByRole('tab', { name: 'Apps' }).click();
  await page.getByRole('button', { name: 'Make an app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Live shop');
  await dialog.getByLabel('Mode').selectOption('LIVE');
  await dialog.getByRole('button', { name: 'Make an app' }).click();
  await page.getByRole('button', { name: 'App Live shop, change' }).waitFor();
  expect(await page.getByText('Test mode: no real money moves.').count()).toBe(0);

  const other = await openPage();
  await other.page.goto(`${ground.origin}/dashboard/settings?part=apps`);
  await logIn(ground, other.page, { email: viewerEmail });
  await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
  expect(await other.page.getByRole('button', { name: 'Make an app' }).count()).toBe(0);
  const refused = await other.page.evaluate(async () => {
    const { token } = JSON.parse(sessionStorage.getItem('sluice.login') ?? '{}');
    const query = 'mutation { createApp(input: { name: "Forged", mode: LIVE }) { id } }';
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await answer.json()).errors[0].extensions.code;
  });
  expect(refused).toBe('AUTHORIZATION_ERROR');
  other.faults.splice(0);
});

test('logging out everywhere ends the other login too, which comes back to the same place', async () => {
  const [one, two] = [await openPage({ expected: [/401/] }), await openPage({ expected: [/401/] })];
  for (const { page } of [one, two]) {
    await page.goto(`${ground.origin}/dashboard/settings?part=payouts`);
    await logIn(ground, page, { email: shop.ownerEmail });
    await page.getByRole('heading', { name: 'Payouts' }).waitFor();
  }
  await one.page.getByRole('button', { name: `Account ${shop.ownerEmail}` }).click();
  await one.page.getByRole('menuitem', { name: 'Log out everywhere' }).click();
  await one.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await two.page.getByRole('tab', { name: 'Members' }).click();
  await two.page.getByText('Your login ran out').waitFor();
  await inspect(two, 'dashboard-expired');
  await logIn(ground, two.page, { email: shop.ownerEmail });
  await two.page.getByRole('heading', { name: 'Members' }).waitFor();
  expect(new URL(two.page.url()).search).toBe('?part=members');
});
