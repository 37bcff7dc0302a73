/** x402 payments, transactions that are stuck, and the start page of the documentation, at every size, in the dark and in German. */
import { beforeAll, expect, test } from 'vitest';
import { nameOperator } from '../../../src/auth/members/name-operator.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { openPage, type PageOptions } from '../setup/open-page.ts';
import { visitDashboard } from '../setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
const WIDTHS = [320, 768, 1280, 1920];
const HOUR_MS = 3_600_000;
const hash = () => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`;
const address = () => `0x${hash().slice(-40)}`;

let ground: BrowserGround;
let shop: ShopGround;
let bare: ShopGround;
let paidCall: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  bare = await ground.openShop('New shop');
  await shop.call('POST', '/payments/intents', { amount: '12.50', externalId: 'order-42' });
  const { id } = await shop.call('POST', '/payments/intents', { amount: '0.05' });
  await ground.database.paymentIntent.update({
    where: { id },
    data: {
      x402Resource: 'https://forecasts.weather-of-the-world.example.com/v1/berlin?days=14',
      x402Scheme: 'exact',
      x402Network: 'eip155:31337',
      authorizationWalletAddress: address(),
    },
  });
  paidCall = id;
  await ground.database.app.update({ where: { id: shop.appId }, data: { x402SettlesForOthers: true, x402FeeBps: 50 } });
  await serverPayments();
});

test('x402 payments in the lists, on their page and in the settings', async () => {
  await walk(bare, { 'servers-empty': '/payments/servers' });
  await walk(shop, {
    servers: '/payments/servers',
    'servers-filtered': '/payments/servers?status=PENDING',
    'paid-calls': '/payments',
    'paid-call': `/payments/${paidCall}`,
    'servers-form': '/settings?part=general',
  });
});

test('the operators’ page with stuck transactions', async () => {
  const { merchantId, ownerEmail: email } = shop;
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: true });
  await stuckTransactions();
  await walk(shop, { 'operations-stuck': '/operations' });
  await ground.database.outgoingTransaction.deleteMany({ where: { toAddress: nowhere } });
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: false });
});

test('the start page of the documentation', async () => {
  for (const scheme of ['light', 'dark'] as const) {
    const { page, picture } = await openPage({ scheme });
    await page.goto(`${ground.origin}/docs`);
    await page.locator('h1').first().waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await picture('docs', { width, scheme });
    }
  }
});

async function walk(owner: ShopGround, paths: Record<string, string>): Promise<void> {
  const screens: [language: 'en' | 'de', options: PageOptions][] = [
    ['en', {}],
    ['en', { scheme: 'dark' }],
    ['de', {}],
  ];
  for (const [language, options] of screens) {
    const { page, picture } = await openPage({ ...options, language, expected: [/40[014]/] });
    for (const [name, path] of Object.entries(paths)) {
      await visitDashboard(ground, page, { email: owner.ownerEmail, path });
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.locator('[class*="skeleton"]').count(), PATIENCE).toBe(0);
      await page.mouse.move(0, 0);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await picture(`${name}-${language}`, { width, scheme: options.scheme ?? 'light' });
      }
    }
  }
}

/** One in each status; the last one names no resource. */
async function serverPayments(): Promise<void> {
  const [chain] = ground.demo.chains;
  const states = [
    { status: 'PENDING', txHash: hash(), resource: 'https://weather.example.com/forecasts/berlin' },
    { status: 'SETTLED', txHash: hash(), resource: 'https://forecasts.weather-of-the-world.example.com/berlin' },
    { status: 'FAILED', failure: 'EXPIRED', resource: 'https://weather.example.com/forecasts/berlin' },
    { status: 'SETTLED', txHash: hash(), amount: '1234567890', valueUsd: '1234.57', feeAmount: '6172839' },
  ] as const;
  for (const state of states) {
    await ground.database.exactAuthorization.create({
      data: {
        id: newId(),
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
        fromNumber: 0n,
        valueUsd: '1.25',
        feeBps: 50,
        feeAmount: '6250',
        gasCosts: { create: { outgoingId: newId(), gasCostWei: '52000000000000', gasCostUsd: '0.13' } },
        ...state,
      },
    });
  }
}

const nowhere = `0x${'00'.repeat(19)}01`;

/** Of a key that no worker has, so that they stay as they are. */
async function stuckTransactions(): Promise<void> {
  const sender = address();
  const states = [
    { status: 'QUEUED', waitsFor: 'GAS' },
    { status: 'QUEUED', error: 'execution reverted: the payment has been settled already' },
    { status: 'SENT', nonce: 7n, txHash: hash() },
  ] as const;
  for (const state of states) {
    const id = newId();
    await ground.database.outgoingTransaction.create({
      data: {
        id,
        chainId: 31337,
        sender,
        toAddress: nowhere,
        data: '0x',
        purpose: `capture:${id}`,
        createdAt: new Date(Date.now() - 2 * HOUR_MS),
        ...state,
      },
    });
  }
}
