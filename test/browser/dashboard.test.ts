/** The dashboard in a real browser, against payments that are made meanwhile. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import type { LocalAccount } from '../../src/local/local-accounts.ts';
import { newId } from '../../src/platform/identifier.ts';
import { fiatFigure, tokenFigure } from '../../web/src/ui/formats/money.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { type OpenPage, openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { isFocused } from './setup/tab-to.ts';
import { inspect, logIn, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE_MS = 90_000;
/** Two whole pages of the list and a part of one. */
const LONG_LIST = 120;

// Each test is a whole flow; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
let payer: LocalAccount;

beforeAll(async () => {
  ground = await openBrowserGround();
  [shop, payer] = await Promise.all([ground.openShop('Corner shop'), ground.newPayer()]);
});

async function pay(amount: string, externalId: string, chainId: number): Promise<void> {
  const { id } = await shop.call('POST', '/payments/intents', { amount, externalId });
  await payIntent({ ground, shop, payer, chainId }, id);
}

/** A part of the money as the ledger has it, in base units of each token that was paid in. */
async function booked(account: 'ESCROW' | 'MERCHANT' | 'FEE'): Promise<bigint[]> {
  const where = { account, paymentIntent: { appId: shop.appId } };
  const sums = await ground.database.ledgerEntry.groupBy({ by: ['tokenKey'], where, _sum: { amount: true } });
  return sums.map(({ _sum }) => BigInt(_sum.amount?.toFixed(0) ?? '0'));
}

test('a member logs in with a mailed code, and sees the ledger and new payments live', async () => {
  await pay('12.50', 'order 1', 31_337);
  const seen = await openPage({ expected: [/401/] });
  const { page } = seen;
  await page.goto(`${ground.origin}/dashboard?range=week`);
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await inspect(seen, 'dashboard-login');
  await page.getByLabel('Email address').fill(shop.ownerEmail);
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = await ground.loginCode(shop.ownerEmail);
  await page.getByLabel('Code', { exact: true }).fill(code === '000000' ? '000001' : '000000');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('This code is incorrect or has expired.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();

  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('Test mode: no real payments are made.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'order 1' });
  await row.getByText('Settled').waitFor({ timeout: PATIENCE_MS });

  // Paid by others while the page stands there: it is told, not asked again.
  const figure = (part: string) => page.locator(`[data-part="${part}"]`);
  await pay('7.25', 'order 2', 31_338);
  await page.getByRole('row').filter({ hasText: 'order 2' }).getByText('Settled').waitFor({ timeout: PATIENCE_MS });
  await figure('received')
    .getByText(fiatFigure('en', '19.75', 'USD'), { exact: true })
    .waitFor({ timeout: PATIENCE_MS });
  for (const [part, account] of [
    ['settled', 'MERCHANT'],
    ['fees', 'FEE'],
  ] as const) {
    const sums = await booked(account);
    expect(sums.length).toBe(2);
    for (const units of sums) {
      const { words } = tokenFigure('en', units, 6);
      await figure(part).getByText(words, { exact: false }).first().waitFor({ timeout: PATIENCE_MS });
    }
  }
  expect(await booked('ESCROW')).toEqual([0n, 0n]);
  await figure('held')
    .getByText(fiatFigure('en', '0', 'USD'), { exact: true })
    .waitFor({ timeout: PATIENCE_MS });
  // The checklist names the chains too.
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  // One column of two parts, each of its chain, and both chains named beside it.
  // The names give way to a column's figures while the mouse is on it, which stands where the login's button was.
  await page.mouse.move(0, 0);
  const column = page.getByRole('img', { name: /19\.75 USD, Local 31337 12\.50 USD, Local 31338 7\.25 USD$/ });
  await column.waitFor();
  expect(await column.locator('rect[class*="fill"]').count()).toBe(2);
  for (const chain of ['Local 31337', 'Local 31338'])
    await page.getByRole('listitem', { includeHidden: true }).filter({ hasText: chain }).waitFor();
  await inspect(seen, 'dashboard-overview');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('order 2');
  await page.getByRole('option').filter({ hasText: 'order 2' }).waitFor();
  await inspect(seen, 'dashboard-search');
  await page.keyboard.press('Escape');
});

/** An address that the API refuses stands beside its field; one that it takes is saved, and the note goes. */
async function setContact(page: Page): Promise<void> {
  const missing = page.getByText(/^Customers with a question cannot contact you\./);
  await missing.waitFor();
  await page.getByLabel('Support email').fill('help@corner.example');
  await page.getByLabel('Help and contact page').fill('https://corner.example@bank.example/help');
  await page.getByRole('button', { name: 'Save the contact' }).click();
  await page.getByText('without a user name or password').waitFor();
  const read = () => ground.database.app.findUniqueOrThrow({ where: { id: shop.appId } });
  expect((await read()).supportEmail).toBeNull();
  await page.getByLabel('Help and contact page').fill('https://corner.example/help');
  await page.getByRole('button', { name: 'Save the contact' }).click();
  await missing.waitFor({ state: 'detached' });
  expect(await read()).toMatchObject({
    supportEmail: 'help@corner.example',
    supportUrl: 'https://corner.example/help',
    websiteUrl: null,
  });
}

/** Another role is only applied after a confirmation. Ends with the role that the member had. */
async function changeRole(seen: OpenPage, email: string): Promise<void> {
  const { page } = seen;
  const role = page.getByLabel(`Role of ${email}`);
  const roleOf = async () => (await ground.database.member.findFirst({ where: { email } }))?.role;
  const dialog = page.getByRole('dialog', { name: `Change the role of ${email}?` });
  await role.focus();
  await page.keyboard.press('ArrowUp');
  await dialog.getByText('The new role is “Developer”.').waitFor();
  await inspect(seen, 'dashboard-role');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await role.inputValue()).toBe('VIEWER');
  expect(await roleOf()).toBe('VIEWER');
  for (const chosen of ['DEVELOPER', 'VIEWER']) {
    await role.selectOption(chosen);
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await expect.poll(roleOf, { timeout: PATIENCE_MS }).toBe(chosen);
    await dialog.waitFor({ state: 'detached' });
  }
}

test('an owner edits settings, invites a member and creates an app; a viewer’s forged call fails', async () => {
  const seen = await openPage({ expected: [/40[03]/] });
  const { page } = seen;
  await page.goto(`${ground.origin}/dashboard/settings?part=members`);
  await logIn(ground, page, { email: shop.ownerEmail });
  const viewerEmail = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await page.getByLabel('Email address').fill(viewerEmail);
  await page.getByLabel('Role', { exact: true }).selectOption('VIEWER');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('row').filter({ hasText: viewerEmail }).waitFor();
  await inspect(seen, 'dashboard-members');
  await changeRole(seen, viewerEmail);

  await page.getByRole('tab', { name: 'General' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Corner shop, renamed');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'App Corner shop, renamed, switch' }).waitFor();
  await inspect(seen, 'dashboard-settings');
  for (const part of ['Payouts', 'Branding']) {
    await page.getByRole('tab', { name: part }).click();
    await page.getByRole('heading', { name: part }).waitFor();
    await inspect(seen, `dashboard-${part.toLowerCase()}`);
  }
  await setContact(page);
  await page.getByRole('tab', { name: 'Apps' }).click();
  await page.getByRole('heading', { name: 'Apps' }).waitFor();
  await inspect(seen, 'dashboard-apps');
  await page.getByRole('button', { name: 'Create app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Live shop');
  await dialog.getByLabel('Mode').selectOption('LIVE');
  await dialog.getByRole('button', { name: 'Create app' }).click();
  await page.getByRole('button', { name: 'App Live shop, switch' }).waitFor();
  expect(await page.getByText('Test mode: no real payments are made.').count()).toBe(0);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'No payments yet' }).waitFor();
  expect(await page.getByRole('main').getByRole('status', { name: 'Loading' }).count()).toBe(0);

  const other = await openPage();
  await other.page.goto(`${ground.origin}/dashboard/settings?part=apps`);
  await logIn(ground, other.page, { email: viewerEmail });
  await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
  expect(await other.page.getByRole('button', { name: 'Create app' }).count()).toBe(0);
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

test('logging out everywhere ends the other session, which returns to the same page; a session expires', async () => {
  const [one, two] = [await openPage({ expected: [/401/] }), await openPage({ expected: [/401/] })];
  for (const { page } of [one, two]) {
    await page.goto(`${ground.origin}/dashboard/settings?part=payouts`);
    await logIn(ground, page, { email: shop.ownerEmail });
    await page.getByRole('heading', { name: 'Payouts' }).waitFor();
  }
  await one.page.getByRole('button', { name: `Account ${shop.ownerEmail}` }).click();
  await one.page.getByRole('menuitem', { name: 'Log out of all devices' }).click();
  await one.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await two.page.getByRole('tab', { name: 'Team' }).click();
  await two.page.getByText('Your session has expired', { exact: true }).waitFor();
  await inspect(two, 'dashboard-expired');
  await logIn(ground, two.page, { email: shop.ownerEmail });
  await two.page.getByRole('heading', { name: 'Team' }).waitFor();
  expect(new URL(two.page.url()).search).toBe('?part=members');

  await two.page.clock.install();
  await two.page.reload();
  await two.page.getByRole('heading', { name: 'Team' }).waitFor();
  const remainingMs = await two.page.evaluate(
    () => JSON.parse(sessionStorage.getItem('sluice.login') ?? '{}').expiresAt - Date.now(),
  );
  await two.page.clock.fastForward(remainingMs - 1_200_000);
  expect(await two.page.getByText('Your session has expired').count()).toBe(0);
  await two.page.clock.fastForward(1_200_000);
  await two.page.getByText('Your session has expired', { exact: true }).waitFor();
  expect(await two.page.evaluate(() => sessionStorage.getItem('sluice.login'))).toBeNull();
  expect(new URL(two.page.url()).search).toBe('?part=members');
});

test('an unsafe payout address is rejected at its field, and a wallet is saved', async () => {
  const seen = await openPage({ expected: [/400/, /401/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/settings?part=payouts' });
  const field = page.getByLabel('Ethereum and compatible networks');
  const before = await field.inputValue();
  await field.fill(escrowAddress);
  await page.getByRole('button', { name: 'Save payout addresses' }).click();
  await page.getByText(/^This is the escrow contract on /).waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  await inspect(seen, 'dashboard-payout-refused');
  const address = payer.address;
  await field.fill(address);
  await page.getByRole('button', { name: 'Save payout addresses' }).click();
  const where = { appId: shop.appId, family: 'EVM' } as const;
  await expect.poll(async () => (await ground.database.payoutAddress.findFirst({ where }))?.address).toBe(address);
  expect(await page.getByText(/^This is the escrow contract on /).count()).toBe(0);
  await ground.database.payoutAddress.updateMany({ where, data: { address: before } });
});

test('a page shows that it is loading, how to proceed after a failure, and succeeds when retried', async () => {
  const seen = await openPage({ expected: [/ERR_FAILED/] });
  const { page } = seen;
  await shop.call('POST', '/payments/intents', { amount: '3.00', externalId: 'order 3' });
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/settings' });
  for (const { link, asks, path, shows } of [
    {
      link: 'Overview',
      asks: 'query OverviewPage',
      path: '',
      shows: page.locator('[data-part="received"]').getByText('USD'),
    },
    { link: 'Payments', asks: 'query PaymentsList', path: '/payments', shows: page.getByText('order 3') },
    { link: 'Products', asks: 'query PlanList', path: '/plans', shows: page.getByText('No products yet') },
  ]) {
    const late = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes(asks)) return await route.continue();
      await late.promise;
      await route.abort();
    });
    await page.getByRole('navigation').getByRole('link', { name: link }).click();
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).first().waitFor();
    expect(await shows.count()).toBe(0);
    late.resolve();
    const fault = page.getByRole('alert').filter({ hasText: 'The server is not responding.' });
    await fault.getByText('Check your connection and try again.').waitFor();
    expect(await page.getByRole('main').getByRole('status', { name: 'Loading' }).count()).toBe(0);
    if (path === '') await inspect(seen, 'dashboard-fault');
    await page.unroute('**/graphql');
    await fault.getByRole('button', { name: 'Try again' }).click();
    await shows.first().waitFor();
    expect(await fault.count()).toBe(0);
  }
});

test('a long list is paginated to its last payment', async () => {
  const metadata = { seed: newId() };
  const rows = Array.from({ length: LONG_LIST }, (_, index) => ({
    id: newId(),
    appId: shop.appId,
    externalId: `seeded-${index}`,
    amount: '1.00',
    currency: 'USD',
    captureMode: 'AUTOMATIC' as const,
    timelockDuration: 60,
    disputeStartDuration: 60,
    platformFeeBps: 0,
    status: 'CANCELLED' as const,
    metadata,
  }));
  await ground.database.paymentIntent.createMany({ data: rows });
  const { page } = await openPage();
  const asked: (string | null)[] = [];
  page.on('request', (request) => {
    const { query = '', variables } = request.url().endsWith('/graphql') ? (request.postDataJSON() ?? {}) : {};
    if (String(query).includes('query PaymentsList')) asked.push(variables.after ?? null);
  });
  const path = `/payments?metadata=${encodeURIComponent(`seed=${metadata.seed}`)}`;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path });
  await page.getByText(`${LONG_LIST} payments`).waitFor();
  // The newest first: the one with the greatest id.
  const newestFirst = rows.sort((left, right) => (left.id < right.id ? 1 : -1)).map(({ externalId }) => externalId);
  await page
    .locator('[data-row="0"]')
    .getByText(newestFirst[0] ?? '', { exact: true })
    .waitFor();
  const last = page.locator(`[data-row="${LONG_LIST - 1}"]`);
  await page.locator('[data-row="0"]').focus();
  const toTheEnd = async () => {
    await page.keyboard.press('End');
    return await last.count();
  };
  await expect.poll(toTheEnd, { timeout: PATIENCE_MS }).toBe(1);
  await last.getByText(newestFirst.at(-1) ?? '', { exact: true }).waitFor();
  await expect.poll(() => isFocused(last), { timeout: PATIENCE_MS }).toBe(true);
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(LONG_LIST + 1));
  // Fifty at a time, each page from where the last one ended, none twice.
  expect(asked.length).toBe(3);
  expect(new Set(asked).size).toBe(3);
});
