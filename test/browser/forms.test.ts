/** Forms: errors at their fields, a prompt before unsaved changes are discarded, and branding. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { type OpenPage, openPage } from './setup/open-page.ts';
import { makeLink } from './setup/payer-visit.ts';
import { inspect, logIn, visitDashboard } from './setup/visit-dashboard.ts';

vi.setConfig({ testTimeout: 300_000 });
const patient = { timeout: 60_000 };
const wordsOf = (area: string, language = 'en') =>
  JSON.parse(readFileSync(new URL(`../../web/src/words/${language}/${area}.json`, import.meta.url), 'utf8'));
const { everywhere, shell, settings, invoices, links, checkout, payments } = Object.fromEntries(
  ['everywhere', 'shell', 'settings', 'invoices', 'links', 'checkout', 'payments'].map((area) => [area, wordsOf(area)]),
);

let ground: BrowserGround;
let shop: ShopGround;
beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
});

async function openDashboard(path: string, options?: Parameters<typeof openPage>[0]): Promise<OpenPage> {
  const opened = await openPage({ expected: [/400/], ...options });
  await visitDashboard(ground, opened.page, { email: shop.ownerEmail, path });
  return opened;
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'));
const isInView = (page: Page) =>
  page.evaluate(() => {
    const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
    return top >= 0 && bottom <= innerHeight;
  });
const question = (page: Page) => page.getByRole('dialog', { name: everywhere.unsaved.title });

test('the first invalid field is scrolled to and focused, and shares are entered in percent', async () => {
  const opened = await openDashboard('/settings?part=general');
  const { page } = opened;
  const share = page.getByLabel(settings.general.disputeTimeoutPayerBps, { exact: true });
  const save = page.getByRole('button', { name: settings.save });
  await share.fill('101');
  await page.getByLabel(settings.general.subscriptionGraceDays, { exact: true }).fill('many');
  await save.click();
  await expect.poll(() => focused(page), patient).toBe('disputeTimeoutPayerBps');
  expect(await isInView(page)).toBe(true);
  await page.getByText(settings.general.notShare).waitFor();
  await opened.pictures('form-fault');

  await share.fill('62,5');
  await page.getByLabel(settings.general.subscriptionGraceDays, { exact: true }).fill('366');
  await save.click();
  // An error of the API, with the form's text.
  await expect.poll(() => focused(page), patient).toBe('subscriptionGraceDays');
  await page.getByText('At most 365').waitFor();
  await page.getByLabel(settings.general.subscriptionGraceDays, { exact: true }).fill('14');
  await save.click();
  const where = { id: shop.appId };
  await expect
    .poll(() => ground.database.app.findUnique({ where }), patient)
    .toMatchObject({ disputeTimeoutPayerBps: 6250 });
  await page.reload();
  await expect.poll(() => share.inputValue(), patient).toBe('62.5');
});

test('links, the back button, a reload and closing a dialog ask before unsaved changes are discarded', async () => {
  const opened = await openDashboard('/invoices');
  const { page } = opened;
  await page.getByRole('link', { name: invoices.new }).first().click();
  const memo = page.getByLabel(invoices.memo);
  await memo.fill('Thank you');
  await page.getByRole('button', { name: invoices.create }).click();
  await expect.poll(() => page.locator('[aria-invalid="true"]').count(), patient).toBeGreaterThan(0);
  expect(await page.getByText(/items\[0\]|customerAccountId|unitAmount/).count()).toBe(0);
  const faulty = page.locator('[aria-invalid="true"]').first();
  await expect.poll(() => faulty.evaluate((one) => one === document.activeElement), patient).toBe(true);
  await opened.pictures('invoice-faults');

  const go = page.getByRole('navigation').getByRole('link').first();
  await go.click();
  await question(page).waitFor();
  await inspect(opened, 'form-unsaved');
  await question(page).getByRole('button', { name: everywhere.unsaved.stay }).click();
  expect(await memo.inputValue()).toBe('Thank you');
  expect(page.url()).toContain('/invoices/new');

  await page.goBack();
  await question(page).waitFor();
  expect(page.url()).toContain('/invoices/new');
  await page.keyboard.press('Escape');
  expect(await memo.inputValue()).toBe('Thank you');
  const asked = page.waitForEvent('dialog');
  // Not page.reload, which would wait for a page that the viewer refuses to load.
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const warning = await asked;
  expect(warning.type()).toBe('beforeunload');
  await warning.dismiss();
  expect(await memo.inputValue()).toBe('Thank you');

  await page.goBack();
  await question(page).getByRole('button', { name: everywhere.unsaved.discard }).click();
  await expect.poll(() => page.url(), patient).toMatch(/\/invoices$/);
  await page.getByRole('navigation').getByRole('link').first().click();
  await expect.poll(() => page.url(), patient).not.toMatch(/\/invoices/);
  expect(await question(page).count()).toBe(0);

  await page.goto(`${ground.origin}/dashboard/links`);
  await page.getByRole('button', { name: links.new }).first().click();
  const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
  await name.fill('Tea');
  await page.keyboard.press('Escape');
  await question(page).getByRole('button', { name: everywhere.unsaved.stay }).click();
  expect(await name.inputValue()).toBe('Tea');
  // A value that is restored is not a change.
  await name.fill('');
  await page.getByRole('dialog').getByLabel(links.slug, { exact: true }).fill('');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), patient).toBe(0);
});

/** Ends the login on the server, as an hour without a new one does. The page learns of it from its next request. */
async function endLogin(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { token } = JSON.parse(sessionStorage.getItem('sluice.login') ?? '{}');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const query = 'mutation { logout(input: { everywhere: true }) }';
    await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  });
}

test('what was entered before a login expired is there for the same member, and for no one else', async () => {
  const { merchantId, ownerEmail: email } = await ground.openShop('Slow writer');
  const viewerEmail = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await inviteMember({ ...ground, clock: systemClock }, { merchantId, email: viewerEmail, role: 'VIEWER' });
  const opened = await openPage({ expected: [/401/] });
  const { page } = opened;
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void sent.push(String(payload))));
  const token = () => page.evaluate(() => JSON.parse(sessionStorage.getItem('sluice.login') ?? '{}').token);
  const expired = page.getByText(shell.login.expired, { exact: true });
  await logIn(ground, page, { email, path: '/' });
  await page.getByRole('navigation').getByRole('link', { name: shell.pages.settings }).click();
  const share = page.getByLabel(settings.general.disputeTimeoutPayerBps, { exact: true });
  const save = page.getByRole('button', { name: settings.save });
  await share.fill('12.5');
  await endLogin(page);
  await save.click();
  await expired.waitFor();
  expect(await share.isVisible()).toBe(false);
  expect(await page.getByRole('navigation').count()).toBe(0);
  await inspect(opened, 'login-over-form');
  await page.evaluate(() => history.back());
  await question(page).getByRole('button', { name: everywhere.unsaved.stay }).click();

  await logIn(ground, page, { email });
  await expect.poll(() => share.isVisible(), patient).toBe(true);
  expect(await share.inputValue()).toBe('12.5');
  expect(await page.getByText(everywhere.fault.AUTHENTICATION_ERROR).count()).toBe(0);
  await save.click();
  await page.getByText(settings.saved, { exact: true }).waitFor();
  await expect.poll(() => share.inputValue(), patient).toBe('12.5');

  await page.getByRole('navigation').getByRole('link', { name: shell.pages.payments, exact: true }).click();
  await expect.poll(() => sent.filter((frame) => frame.includes('connection_init')).length, patient).toBeGreaterThan(0);
  await endLogin(page);
  // The closed live connection may have reported the end before this page is requested, and hidden the link.
  const links = page.getByRole('link', { name: shell.pages.links, includeHidden: true });
  await links.first().dispatchEvent('click');
  await expired.waitFor();
  await logIn(ground, page, { email });
  await page.getByRole('navigation').getByRole('link', { name: shell.pages.payments, exact: true }).click();
  const lastInit = () => sent.findLast((frame) => frame.includes('connection_init'));
  await expect.poll(async () => lastInit()?.includes(await token()), patient).toBe(true);

  // A dialog stands outside of the page in the document.
  await page.goto(`${ground.origin}/dashboard/plans/taxes`);
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel('Name', { exact: true });
  const create = dialog.getByRole('button', { name: 'Create tax rate' });
  await page.getByRole('button', { name: 'New tax rate' }).click();
  await name.fill('VAT');
  await dialog.getByLabel('Percentage').fill('19');
  await endLogin(page);
  await create.click();
  await expired.waitFor();
  expect(await page.locator('[role="dialog"]').isVisible()).toBe(false);
  expect(await opened.axe()).toEqual([]);
  await logIn(ground, page, { email });
  await expect.poll(() => name.isVisible(), patient).toBe(true);
  expect(await name.inputValue()).toBe('VAT');
  await expect.poll(() => create.evaluate((one) => one === document.activeElement), patient).toBe(true);

  await endLogin(page);
  await create.click();
  await expired.waitFor();
  await logIn(ground, page, { email: viewerEmail });
  await page.getByRole('navigation').first().waitFor();
  expect(await page.locator('[role="dialog"]').count()).toBe(0);
});

test('limits are shown in the units of the form and in the viewer’s language', async () => {
  const opened = await openDashboard('/settings?part=general', { language: 'de' });
  const { page } = opened;
  const german = wordsOf('settings', 'de');
  const deadline = page.getByLabel(german.general.disputeTimeout, { exact: true });
  await deadline.fill('3');
  await page.getByRole('button', { name: german.save, exact: true }).click();
  await page.getByText('Mindestens 7 Tage').waitFor();
  const { page: branding } = await openDashboard('/settings?part=look', { language: 'de' });
  await branding.getByLabel(german.embed.origins).fill('https://shop.example\nhttps://shop.example/path');
  await branding.getByRole('button', { name: german.embed.save }).click();
  await branding
    .getByText('https://shop.example/path: Geben Sie einen Origin mit https:// und ohne Pfad ein')
    .waitFor();
  await expect.poll(() => focused(branding), patient).toBe('embedOrigins');
});

test('the first missing detail is focused for a payer', async () => {
  const link = await makeLink(shop, { requireBillingDetails: true });
  const opened = await openPage({ width: 360 });
  const { page } = opened;
  await page.goto(`${ground.origin}${link.path}`);
  await page.getByRole('button', { name: checkout.begin.continue }).click();
  await expect.poll(() => focused(page), patient).toMatch(/^billingDetails\./);
  await page.getByText(everywhere.limits.required).first().waitFor();
  await inspect(opened, 'begin-missing');
});

test('branding is previewed while it is edited, checked for contrast, and shown to payers', async () => {
  const opened = await openDashboard('/settings?part=look');
  const { page } = opened;
  const { look } = settings;
  await page.getByLabel(look.colour, { exact: true }).fill('#ffee00');
  await page.getByText(look.weak, { exact: true }).waitFor();
  const preview = (kind: string) => page.locator(`[data-preview="${kind}"]`);
  await page.getByLabel(look.checkoutHeading, { exact: true }).fill('Your tea is nearly ready');
  await page.getByLabel(look.checkoutMessage, { exact: true }).fill('We ship within two days.');
  await page.getByLabel(look.receiptMessage, { exact: true }).fill('Thank you for your order!');
  await page.getByLabel(look.footerText, { exact: true }).fill('Tea House Ltd, 1 Leaf Street, London');
  await preview('checkout').getByText('Your tea is nearly ready').waitFor();
  await preview('receipt').getByText('Thank you for your order!').waitFor();
  await preview('email').getByText('Tea House Ltd').waitFor();
  await preview('invoice').getByText('Tea House Ltd').waitFor();
  await inspect(opened, 'settings-branding');
  await page.getByLabel(look.mode).selectOption('dark');
  expect(await opened.axe()).toEqual([]);
  await opened.picture('settings-branding-dark-preview');
  await page.getByRole('button', { name: look.use.replace('{{colour}}', '#9e9400') }).click();
  await page.getByText(look.readable).waitFor();
  await page.getByRole('button', { name: look.save }).click();
  await expect
    .poll(() => ground.database.app.findUnique({ where: { id: shop.appId } }), patient)
    .toMatchObject({ accentColor: '#9e9400', checkoutHeading: 'Your tea is nearly ready' });

  const link = await makeLink(shop);
  const payer = await openPage();
  await payer.page.goto(`${ground.origin}${link.path}`);
  await payer.page.getByRole('heading', { name: 'Your tea is nearly ready' }).waitFor();
  await payer.page.getByText('We ship within two days.').waitFor();
  await inspect(payer, 'checkout-branded');

  for (const options of [{ width: 768 }, { width: 1920 }, { width: 1280, language: 'de' as const }]) {
    const other = await openDashboard('/settings?part=look', options);
    const { title } = { title: wordsOf('settings', options.language ?? 'en').look.preview };
    await other.page.getByRole('heading', { name: title, exact: true }).waitFor();
    await other.picture(`settings-branding-${options.language ?? 'en'}`);
  }
});

/** As the facilitator writes them; its own tests settle such payments on a chain. */
async function makeServerPayments(): Promise<void> {
  const [chain] = ground.demo.chains;
  const hash = () => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`;
  const address = () => `0x${hash().slice(-40)}`;
  const make = (row: { status: 'SETTLED' | 'FAILED'; txHash?: string; failure?: 'EXPIRED' }) =>
    ground.database.exactAuthorization.create({
      data: {
        id: crypto.randomUUID(),
        appId: shop.appId,
        chainId: chain?.chainId ?? 0,
        tokenKey: chain?.tokens[0]?.key ?? '',
        token: address(),
        payer: address(),
        payTo: address(),
        amount: '1250000',
        validAfter: 0n,
        validBefore: 1n,
        nonce: hash(),
        signature: '0x',
        paymentKey: hash(),
        purpose: hash(),
        resource: 'https://weather.example.com/forecasts/berlin',
        fromNumber: 0n,
        valueUsd: '1.25',
        feeBps: 50,
        feeAmount: '6250',
        gasCosts: { create: { outgoingId: crypto.randomUUID(), gasCostWei: '52000000000000', gasCostUsd: '0.13' } },
        ...row,
      },
    });
  await make({ status: 'FAILED', failure: 'EXPIRED' });
  await make({ status: 'SETTLED', txHash: hash() });
}

test('x402 payments to other servers are limited and listed, and a paid call is marked non-refundable', async () => {
  const { servers } = settings;
  const opened = await openDashboard('/payments/servers');
  const { page } = opened;
  await page.getByText(payments.servers.emptyOff).waitFor();
  await inspect(opened, 'server-payments-empty');
  await page.getByRole('link', { name: payments.servers.settings }).click();
  await page.getByLabel(servers.settlesForOthers, { exact: true }).check();
  await page.getByLabel(servers.paymentLimit, { exact: true }).fill('1.001');
  await page.getByLabel(servers.feeBps, { exact: true }).fill('11');
  const save = page.getByRole('button', { name: servers.save });
  await save.click();
  await expect.poll(() => focused(page), patient).toBe('x402.paymentLimit');
  await page.getByText(servers.notAmount).waitFor();
  await page.getByText(servers.notFee).waitFor();
  await inspect(opened, 'servers-form');
  const list = page.getByRole('link', { name: servers.list });
  await list.click();
  await question(page).getByRole('button', { name: everywhere.unsaved.stay }).click();
  await page.getByLabel(servers.paymentLimit, { exact: true }).fill('2,50');
  await page.getByLabel(servers.feeBps, { exact: true }).fill('0,5');
  await save.click();
  const where = { id: shop.appId };
  const saved = { x402SettlesForOthers: true, x402FeeBps: 50 };
  await expect.poll(() => ground.database.app.findUnique({ where }), patient).toMatchObject(saved);
  expect((await ground.database.app.findUnique({ where }))?.x402PaymentLimit.toFixed(2)).toBe('2.50');

  await makeServerPayments();
  await list.click();
  const settled = page.getByRole('row').filter({ has: page.locator('[data-status="SETTLED"]') });
  await settled.getByText('weather.example.com').waitFor();
  await settled.getByText('0.5%').waitFor();
  await settled.getByText('0.13 USD').waitFor();
  expect(await page.locator('[data-status="FAILED"]').count()).toBe(1);
  await inspect(opened, 'server-payments');

  const { id } = await shop.call('POST', '/payments/intents', { amount: '1.25' });
  await ground.database.paymentIntent.update({
    where: { id },
    data: {
      x402Resource: 'https://api.example.com/weather/berlin',
      x402Scheme: 'exact',
      x402Network: 'eip155:31337',
    },
  });
  await page.goto(`${ground.origin}/dashboard/payments`);
  await page.getByText('x402 exact · api.example.com').click();
  await page.locator('[data-part="not-refundable"]').getByText(payments.money.notRefundableWhy).waitFor();
  expect(await page.getByRole('button', { name: payments.actions.cancel }).count()).toBe(0);
  await inspect(opened, 'payment-paid-call');

  const german = await openDashboard('/payments/servers', { language: 'de' });
  await german.page.getByText('weather.example.com').first().waitFor();
  await german.picture('server-payments-de');
  await german.page.goto(`${ground.origin}/dashboard/settings?part=general`);
  await german.page.getByText(wordsOf('settings', 'de').servers.title).waitFor();
  await german.picture('servers-form-de');
});
