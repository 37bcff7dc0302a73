/** Pictures of rare states: empty, failed, ended and lost ones, also in German, and of every mail. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Prisma } from '../../../prisma/client.ts';
import { ownBrand } from '../../../src/events/mails/mail-brand.ts';
import { mailKinds, mailLanguages } from '../../../src/events/mails/mail-kind.ts';
import { printMail } from '../../../src/events/mails/print-mail.ts';
import { sampleContent } from '../../../src/events/mails/sample-content.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { readMail } from '../../setup/mail/read-mail.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { type OpenPage, openPage, type PageOptions, pictureFolder } from '../setup/open-page.ts';
import { logIn, visitDashboard } from '../setup/visit-dashboard.ts';

const CHAIN = 31337;
const PATIENCE = { timeout: 90_000 };
const DAY_MS = 86_400_000;
const MAIL_WIDTHS = [360, 600];
/** What the browser logs about a response that was refused or is missing. */
const network = [/Failed to load resource/, /WebSocket connection/];
const hash = (byte: string): `0x${string}` => `0x${byte.repeat(32)}`;

let ground: BrowserGround;
let shop: ShopGround;
let bare: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  bare = await ground.openShop('New shop');
  await ground.database.payoutAddress.deleteMany({ where: { appId: bare.appId } });
});

/** 360 and 1280 pixels wide, in the scheme of the page. */
async function look({ page, picture }: OpenPage, name: string, scheme: 'light' | 'dark' = 'light'): Promise<void> {
  await loaded(page);
  await page.mouse.move(0, 0);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await picture(name, { width, scheme });
  }
}

/** Waits until the page has loaded and shows no placeholders. */
async function loaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('[class*="skeleton"]').count(), PATIENCE).toBe(0);
}

/** Each path once more in German, and in the dark on a tablet. */
const screens: [suffix: string, options: PageOptions][] = [
  ['', {}],
  ['-german', { language: 'de' }],
  ['-tablet', { width: 768, scheme: 'dark' }],
];

async function walkDashboard(owner: ShopGround, prefix: string, paths: Record<string, string>): Promise<void> {
  for (const [suffix, options] of screens) {
    const opened = await openPage({ ...options, expected: [/40[14]/] });
    for (const [name, path] of Object.entries(paths)) {
      await visitDashboard(ground, opened.page, { email: owner.ownerEmail, path });
      await opened.page.getByRole('main').getByRole('heading').first().waitFor();
      await loaded(opened.page);
      await opened.page.mouse.move(0, 0);
      if (suffix === '') await look(opened, `${prefix}-${name}`);
      else await opened.picture(`${prefix}-${name}${suffix}`);
    }
  }
}

test('a dashboard without any data', async () => {
  await walkDashboard(bare, 'empty', {
    overview: '',
    payments: '/payments',
    filtered: '/payments?status=SETTLED&flags=DISPUTED',
    disputes: '/disputes',
    subscriptions: '/subscriptions',
    customers: '/customers',
    links: '/links',
    coupons: '/links/coupons',
    plans: '/plans',
    taxes: '/plans/taxes',
    invoices: '/invoices',
    reports: '/reports',
    developers: '/developers',
    webhooks: '/developers?tab=webhooks',
    events: '/developers?tab=events',
    settings: '/settings',
    audit: '/settings?part=audit',
    unknown: '/nowhere',
    payment: `/payments/${newId()}`,
  });
});

test('a dashboard that is half set up, and one with every kind of problem', async () => {
  const half = await ground.openShop('Half a shop');
  await half.call('POST', '/payment-links', { appId: half.appId, name: 'Tea', slug: slug(), amount: '4.50' });
  await walkDashboard(half, 'half', { overview: '' });
  const { appId } = shop;
  for (const [externalId, kind] of [
    ['came late', 'LATE'],
    ['paid twice', 'MISPAID'],
  ] as const) {
    const { id } = await shop.call('POST', '/payments/intents', { amount: '12.00', externalId });
    await ground.database.strayPayment.create({ data: { paymentIntentId: id, kind } });
  }
  await undeliveredPayout();
  const stages = await disputes();
  const hook = await shop.call('POST', `/apps/${appId}/webhooks`, { url: 'https://shop.example/hook', events: ['*'] });
  const disabledReason = 'The receiver answered 410.';
  await ground.database.webhookEndpoint.update({ where: { id: hook.id }, data: { active: false, disabledReason } });
  await failedRenewal();
  await walkDashboard(shop, 'trouble', {
    overview: '',
    payments: '/payments',
    disputes: '/disputes',
    subscriptions: '/subscriptions',
    webhooks: '/developers?tab=webhooks',
    ...Object.fromEntries(stages.map(({ status, disputeId }) => [status, `/disputes/${disputeId}`])),
    ...Object.fromEntries(stages.map(({ status, paymentId }) => [`${status}-payment`, `/payments/${paymentId}`])),
  });
});

test('sessions and links that cannot be paid, a phone without a wallet, and a lost connection', async () => {
  const link = await shop.call('POST', '/payment-links', { ...linkOf('Tea'), amount: '4.50' });
  const unpayable = await bare.call('POST', '/payment-links', { ...linkOf('Tea', bare), amount: '4.50' });
  const session = async (of: ShopGround) => {
    const made = await of.call('POST', '/checkout-sessions', { items: [{ name: 'Green tea', amount: '9.50' }] });
    return { id: made.id, path: `/checkout/${made.id}#${made.clientSecret}` };
  };
  const [expired, cancelled, wayless] = [await session(shop), await session(shop), await session(bare)];
  await shop.call('POST', `/checkout-sessions/${expired.id}/expire`);
  const row = await ground.database.checkoutSession.findUniqueOrThrow({ where: { id: cancelled.id } });
  await shop.call('POST', `/payments/intents/${row.paymentIntentId}/cancel`);
  const paths = {
    expired: expired.path,
    cancelled: cancelled.path,
    wayless: wayless.path,
    unpayable: `/link/${unpayable.slug}`,
    'no-link': '/link/nowhere',
    'no-session': `/checkout/${newId()}#cs_wrong`,
    'no-page': '/nowhere',
    start: '/',
    'no-renewal': `/renewal/${newId()}?token=x`,
    'no-invoice': `/invoice/${newId()}?token=x`,
  };
  for (const language of ['en', 'de'] as const) {
    for (const [name, path] of Object.entries(paths)) {
      const opened = await openPage({ language, expected: network });
      await opened.page.goto(`${ground.origin}${path}`);
      await opened.page.getByRole('heading').first().waitFor();
      await look(opened, `ended-${name}-${language}`);
      await opened.context.close();
    }
    const phone = await openPage({ language, isPhone: true, scheme: language === 'de' ? 'dark' : 'light' });
    await phone.page.goto(`${ground.origin}/link/${link.slug}`);
    await phone.page.locator('[data-app][href]').first().waitFor();
    await phone.picture(`phone-wallets-${language}`);
    await lost(language, (await session(shop)).path);
  }
});

/** The hosted page and the dashboard, after they have been loaded. */
async function lost(language: 'en' | 'de', path: string): Promise<void> {
  const payer = await openPage({ language, expected: network });
  await payer.page.goto(`${ground.origin}${path}`);
  await payer.page.locator('[data-card="wallet"]').waitFor();
  await payer.context.setOffline(true);
  await payer.page.waitForTimeout(4_000);
  await look(payer, `lost-checkout-${language}`);
  const merchant = await openPage({ language, expected: network });
  await visitDashboard(ground, merchant.page, { email: shop.ownerEmail, path: '/payments' });
  await merchant.page.getByRole('main').getByRole('heading').first().waitFor();
  await merchant.context.setOffline(true);
  await merchant.page.waitForTimeout(4_000);
  await look(merchant, `lost-dashboard-${language}`);
}

test('an invoice in each state, in German', async () => {
  const { appId } = shop;
  const tax = await shop.call('POST', '/tax-rates', { appId, displayName: 'MwSt.', percentage: 19 });
  const customer = await shop.call('POST', '/customers', {
    appId,
    name: 'Grete Müller',
    email: mailbox(),
    locale: 'de',
  });
  const items = [
    {
      description: 'Tee für ein Büro mit sehr vielen durstigen Angestellten',
      quantity: 3,
      amount: '1248.00',
      taxRateId: tax.id,
    },
    { description: 'Versand', quantity: 1, amount: '4.90', taxRateId: tax.id },
  ];
  const dueDate = new Date(Date.now() + 14 * DAY_MS).toISOString();
  const body = {
    appId,
    customerAccountId: customer.id,
    items,
    memo: 'Vielen Dank für Ihre Bestellung.',
    dueDate,
  };
  const made = await shop.call('POST', '/invoices', body);
  await shop.call('POST', `/invoices/${made.id}/open`);
  await shop.call('POST', `/invoices/${made.id}/send`);
  await expect.poll(async () => (await ground.mails(customer.email)).length, PATIENCE).toBe(1);
  const mail = readMail((await ground.mails(customer.email))[0] ?? '');
  await lookAtMail('invoice-de', mail.html);
  const url = new URL(/https?:\/\/\S+\/invoice\/\S+/.exec(mail.text)?.[0] ?? '');
  for (const status of ['OPEN', 'PAST_DUE', 'PAID', 'VOID', 'UNCOLLECTIBLE'] as const) {
    await ground.database.invoice.update({
      where: { id: made.id },
      data: { status, paidAt: status === 'PAID' ? new Date() : null, voidedAt: status === 'VOID' ? new Date() : null },
    });
    const opened = await openPage({ language: 'de' });
    await opened.page.goto(`${ground.origin}${url.pathname}${url.search}`);
    await look(opened, `invoice-${status}-de`);
  }
});

test('every mail, in English and in German, on a phone and at full width', async () => {
  const now = new Date();
  for (const kind of mailKinds) {
    for (const language of mailLanguages) {
      const content = sampleContent(kind, { appName: 'Tea house', now });
      const brand = content.appName === null ? ownBrand : { ...ownBrand, name: 'Tea house', accentColor: '#0b6b3a' };
      const links = { action: '#', unsubscribe: '#' };
      await lookAtMail(`${kind}-${language}`, printMail({ kind, language, content, brand, links }).html);
    }
  }
  const opened = await openPage({ expected: [/401/] });
  await logIn(ground, opened.page, { email: shop.ownerEmail, path: '/' });
  const mails = (await ground.mails(shop.ownerEmail)).map(readMail);
  for (const [name, subject] of [
    ['login', 'login code'],
    ['invitation', 'invited'],
  ] as const) {
    await lookAtMail(`${name}-en`, mails.find((one) => one.subject.includes(subject))?.html ?? '');
  }
});

async function lookAtMail(name: string, html: string): Promise<void> {
  expect(html).not.toBe('');
  for (const width of MAIL_WIDTHS) {
    const { page, picture, context } = await openPage({ width });
    await page.setContent(html);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
    await picture(`mail-${name}`);
    await context.close();
  }
  writeFileSync(join(pictureFolder, `mail-${name}.html`), html);
}

const slug = () => `tea-${crypto.randomUUID().slice(0, 8)}`;
const mailbox = () => `customer-${crypto.randomUUID().slice(0, 8)}@example.com`;
const linkOf = (name: string, { appId }: ShopGround = shop) => ({ appId, name, slug: slug() });

/** A payment as settlement leaves it; what follows from it is not followed. */
async function settled(externalId: string, data: Prisma.PaymentIntentUpdateInput = {}): Promise<string> {
  const { id } = await shop.call('POST', '/payments/intents', { amount: '1250.00', externalId });
  const at = new Date(Date.now() - DAY_MS);
  await ground.database.paymentIntent.update({
    where: { id },
    data: {
      status: 'CAPTURED',
      authorizationMethod: 'DIRECT',
      authorizationChainId: CHAIN,
      authorizationTokenKey: `USDC-${CHAIN}`,
      authorizationWalletAddress: `0x${'ab'.repeat(20)}`,
      authorizationTxHash: hash('12'),
      authorizedAt: at,
      capturedAt: at,
      cryptoAmount: '1250000000',
      cryptoTokenKey: `USDC-${CHAIN}`,
      cryptoTokenDecimals: 6,
      exchangeRate: '1',
      timelockEndsAt: new Date(Date.now() + DAY_MS),
      ...data,
    },
  });
  return id;
}

async function undeliveredPayout(): Promise<void> {
  const paymentIntentId = await settled('not paid out');
  const at = new Date(Date.now() - DAY_MS);
  await ground.database.creditedPayout.create({
    data: {
      id: newId(),
      paymentIntentId,
      chainId: CHAIN,
      termsHash: hash('34'),
      role: 'MERCHANT',
      recipient: `0x${'cd'.repeat(20)}`,
      token: `0x${'ef'.repeat(20)}`,
      tokenKey: `USDC-${CHAIN}`,
      amount: '1237500000',
      txHash: hash('56'),
      blockNumber: -1n,
      blockHash: `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`,
      logIndex: 0,
      creditedAt: at,
      nextTryAt: new Date(Date.now() + DAY_MS),
    },
  });
}

/** One in each state. */
async function disputes(): Promise<{ status: string; disputeId: string; paymentId: string }[]> {
  const states = ['OPEN', 'RESOLVED_MERCHANT', 'RESOLVED_PAYER', 'RESOLVED_SPLIT'] as const;
  return await Promise.all(
    states.map(async (status) => {
      const paymentId = await settled(`dispute ${status.toLowerCase()}`);
      const isOpen = status === 'OPEN';
      const payerBps = { OPEN: null, RESOLVED_MERCHANT: 0, RESOLVED_PAYER: 10_000, RESOLVED_SPLIT: 3_333 }[status];
      const { id: disputeId } = await ground.database.dispute.create({
        data: {
          id: newId(),
          paymentIntentId: paymentId,
          reason: 'The tea never came.',
          evidence: 'I waited for a week.',
          status,
          payerBps,
          deadline: new Date(Date.now() + 2 * DAY_MS),
          resolvedAt: isOpen ? null : new Date(),
        },
      });
      return { status, disputeId, paymentId };
    }),
  );
}

async function failedRenewal(): Promise<void> {
  const { appId } = shop;
  const prices = [{ amount: '9.00', billingInterval: 'MONTH' }];
  const plan = await shop.call('POST', '/product-plans', { appId, name: 'Gold', planType: 'SUBSCRIPTION', prices });
  const customer = await shop.call('POST', '/customers', { appId, name: 'Ada Lovelace', email: mailbox() });
  await ground.database.subscription.create({
    data: {
      id: newId(),
      appId,
      customerAccountId: customer.id,
      productPlanId: plan.id,
      productPlanPriceId: plan.prices[0].id,
      status: 'ACTIVE',
      captureRetryCount: 2,
    },
  });
}
