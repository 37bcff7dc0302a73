/** Mails: their settings, the mails that a member receives, and the link that repairs a failed renewal. */
import { beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/identifier.ts';
import { readMail } from '../setup/mail/read-mail.ts';
import { findAccessibilityFaults } from './setup/find-accessibility-faults.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { CHAIN, card, makeLink, press, toQuote, visit } from './setup/payer-visit.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

// A renewal is due a minute after the start of the subscription, and goes through worker, chain and indexer.
vi.setConfig({ testTimeout: 600_000 });
const PATIENCE = { timeout: 240_000, interval: 500 };

let ground: BrowserGround;
let shop: ShopGround;
beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
});

test('an owner enables mails to payers, previews one, and chooses notifications', async () => {
  const failed = { source: 'event', kind: 'REFUND', recipient: 'ada@example.com', language: 'en' };
  await ground.database.mail.create({
    data: { id: newId(), appId: shop.appId, ...failed, status: 'FAILED', error: 'RECIPIENT_REJECTED', tries: 1 },
  });
  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/settings?part=mails' });
  await page.getByText('The mail server rejected the address.').waitFor();
  await page.getByRole('heading', { name: 'Customer emails' }).waitFor();
  await page.getByRole('checkbox', { name: 'Receipt' }).check();
  await page.getByRole('checkbox', { name: 'Failed renewal' }).check();
  await page.getByLabel('Reply-to address').fill('nobody');
  await page.getByRole('button', { name: 'Save email settings' }).click();
  await page.getByText('Enter a valid email address, such as name@example.com').first().waitFor();
  await page.getByLabel('Reply-to address').fill('help@example.com');
  await page.getByRole('button', { name: 'Save email settings' }).click();
  await expect
    .poll(() => ground.database.mailSettings.findUnique({ where: { appId: shop.appId } }), PATIENCE)
    .toMatchObject({ kinds: ['RECEIPT', 'RENEWAL_FAILED'], replyTo: 'help@example.com', reminderDays: 3 });
  opened.faults.splice(0);
  await inspect(opened, 'settings-mails');

  const address = await page.getByRole('link', { name: 'Preview: Receipt' }).getAttribute('href');
  const answer = await fetch(`${ground.origin}${address}`);
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  // In its sandbox nothing runs, which includes this test's own questions.
  const preview = await openPage();
  await preview.page.setContent(await answer.text());
  await preview.page.getByRole('heading', { name: 'You paid €12.50' }).waitFor();
  await preview.page.getByText('Tea house', { exact: true }).waitFor();
  // Programs show a mail inside a page of theirs, which has the landmarks.
  const ofPages = new Set(['landmark-one-main', 'region']);
  const axe = async () => (await preview.axe()).filter(({ rule }) => !ofPages.has(rule));
  await inspect({ ...preview, axe }, 'mail-receipt');
  expect((await fetch(`${ground.origin}${address}x`)).status).toBe(404);

  await page.getByRole('tab', { name: 'Notifications' }).click();
  await page.getByLabel('A payment is received').check();
  expect(await page.getByLabel('A wallet of this installation is low on funds for network fees').count()).toBe(0);
  await page.getByRole('button', { name: 'Save notifications' }).click();
  const where = { member: { email: shop.ownerEmail } };
  await expect
    .poll(() => ground.database.memberNotifications.findFirst({ where }), PATIENCE)
    .toMatchObject({ kinds: ['PAYMENT'] });
  await inspect(opened, 'settings-notifications');

  await page.getByRole('tab', { name: 'General' }).click();
  await page.getByLabel('Retry schedule (hours)').fill('6, 1');
  await page.getByRole('button', { name: 'Save retry rules' }).click();
  await page.getByText('Enter 1 to 10 whole numbers in ascending order, from 1 to 1440').waitFor();
  await page.getByLabel('Retry schedule (hours)').fill('2, 12, 48');
  await page.getByLabel('After the grace period').selectOption('PAUSE');
  await page.getByRole('button', { name: 'Save retry rules' }).click();
  await expect
    .poll(() => ground.database.app.findUnique({ where: { id: shop.appId } }), PATIENCE)
    .toMatchObject({ renewalRetrySteps: [2, 12, 48], renewalRetryEnd: 'PAUSE' });
  await inspect(opened, 'settings-retry');
});

test('a payer with a failed renewal signs a new consent by the link in the mail, and stays subscribed', async () => {
  const query = 'mutation { updateMailSettings(input: { kinds: [RECEIPT, RENEWAL_FAILED] }) { kinds } }';
  const headers = { 'content-type': 'application/json', 'x-api-key': shop.secretKey };
  const set = await fetch(`${ground.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect((await set.json()).errors).toBeUndefined();
  const { id: memberId } = await ground.database.member.findFirstOrThrow({ where: { email: shop.ownerEmail } });
  const kinds = { kinds: ['PAYMENT'] };
  await ground.database.memberNotifications.upsert({
    where: { memberId },
    create: { memberId, ...kinds },
    update: kinds,
  });
  // Members who have never logged in receive no mails.
  await ground.database.member.update({ where: { id: memberId }, data: { joinedAt: new Date() } });
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Tea club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '8.00', billingInterval: 'MINUTE' }],
  });
  const { path } = await makeLink(shop, { amount: undefined, productPlanId: plan.id });
  const email = `payer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const { page } = await visit(ground, path);
  await page.getByLabel('Email').fill(email);
  await press(page, /^Continue to payment$/);
  await toQuote(page, `USDC-${CHAIN}`);
  await press(page, /^Sign to pay 8\.00 USDC$/);
  await card(page, 'receipt');
  // More than the payer has signed for.
  await ground.database.productPlanPrice.updateMany({ where: { productPlanId: plan.id }, data: { amount: '20.00' } });
  const mailed = async (subject: string) =>
    (await ground.mails(email)).map(readMail).find((mail) => mail.subject.includes(subject));
  await expect.poll(() => mailed('could not renew'), PATIENCE).toBeDefined();
  expect((await mailed('Your receipt'))?.text).toContain('$8.00');
  const failure = await mailed('could not renew');
  expect(failure?.text).toContain('exceeds the spending limit that you agreed to');
  const link = new URL(/https?:\/\/\S+\/renewal\/\S+/.exec(failure?.text ?? '')?.[0] ?? '');

  const repair = await visit(ground, `${link.pathname}${link.search}`);
  await repair.page.getByRole('heading', { name: 'Your renewal payment failed' }).waitFor();
  await repair.page
    .getByText('The renewal costs 20 USDC. This exceeds your spending limit of 10 USDC per period.')
    .waitFor();
  expect(await findAccessibilityFaults(repair.page)).toEqual([]);
  await repair.page.setViewportSize({ width: 320, height: 800 });
  expect(await repair.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await press(repair.page, /^Sign new agreement$/);
  await repair.page.waitForURL(/\/checkout\/[0-9a-f-]+#/);
  await toQuote(repair.page, `USDC-${CHAIN}`);
  await repair.page.getByText('This replaces your previous agreement').waitFor();
  await press(repair.page, /^Sign to pay 20\.00 USDC$/);
  await card(repair.page, 'receipt');
  await repair.page.getByRole('heading', { name: 'Your agreement is renewed' }).waitFor();
  const where = { customerAccount: { email } };
  const read = () => ground.database.subscription.findFirstOrThrow({ where, include: { invoices: true } });
  await expect
    .poll(async () => (await read()).invoices.filter(({ status }) => status === 'PAID').length, PATIENCE)
    .toBeGreaterThanOrEqual(2);
  const subscription = await read();
  expect(await (await fetch(link)).text()).toContain('Renewal paid');
  expect(subscription).toMatchObject({ status: 'ACTIVE', captureRetryCount: expect.any(Number) });
  await shop.call('POST', `/subscriptions/${subscription.id}/cancel`, { cancelAtPeriodEnd: false });
  const notified = async () => (await ground.mails(shop.ownerEmail)).map(readMail).map(({ subject }) => subject);
  await expect
    .poll(notified, PATIENCE)
    .toEqual(expect.arrayContaining(['Payment received: $8.00', 'Payment received: $20.00']));
});
