/** Every page as people see it, light and dark, 360 and 1280 pixels wide; docs/pages.md shows some of them. */
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameOperator } from '../../../src/auth/members/name-operator.ts';
import { openGatewayClient } from '../../../src/local/demo/gateway-client.ts';
import { type Method, payByMethod } from '../../../src/local/demo/pay-by-method.ts';
import { checkoutFolder } from '../../../src/local/local-settings.ts';
import { subscribe } from '../payer/pay-as.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { type EvmWallet, injectEvmWallet } from '../setup/inject-evm-wallet.ts';
import { type OpenPage, openPage, pictureFolder } from '../setup/open-page.ts';
import { visitDashboard } from '../setup/visit-dashboard.ts';

const PATIENCE_MS = 240_000;
const CHAIN = 31337;
/** A page that takes seconds to load is not read. */
const BYTES_LIMIT = 200 * 1024;

const publishedPictures = [
  'link-360-light',
  'checkout-way-1280-light',
  'checkout-sign-360-light',
  'checkout-receipt-360-dark',
  'solana-code-360-light',
  'payer-1280-light',
  'overview-1280-light',
  'payments-1280-dark',
  'payment-1280-light',
  'subscription-1280-light',
  'invoices-1280-light',
  'developers-1280-dark',
  'settings-1280-light',
  'operations-1280-light',
];

let ground: BrowserGround;
let shop: ShopGround;
let payer: Awaited<ReturnType<BrowserGround['newPayer']>>;
let paidId: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  payer = await ground.newPayer();
  const orders: [amount: string, method: Method][] = [
    ['12.50', 'PERMIT'],
    ['48.00', 'APPROVAL'],
    ['7.25', 'DIRECT'],
  ];
  for (const [amount, method] of orders) paidId = await pay(amount, method);
  await shop.call('POST', '/payments/intents', { amount: '19.90', currency: 'USD' });
}, 1_200_000);

/** The pictures that docs/pages.md shows. */
afterAll(() => {
  const folder = join(checkoutFolder, 'docs', 'pictures');
  mkdirSync(folder, { recursive: true });
  for (const name of publishedPictures) {
    const picture = join(pictureFolder, `${name}.png`);
    expect(statSync(picture).size, name).toBeLessThan(BYTES_LIMIT);
    copyFileSync(picture, join(folder, `${name}.png`));
  }
});

async function pay(amount: string, method: Method): Promise<string> {
  const demo = { ...ground.demo, appId: shop.appId, secretKey: shop.secretKey, publishableKey: shop.publishableKey };
  const gateway = openGatewayClient(demo, PATIENCE_MS);
  const world = { demo, gateway, settleLimitMs: PATIENCE_MS, onMoment: () => undefined };
  return (await payByMethod(world, { amount, method, chainId: CHAIN, payer })).paymentIntentId;
}

async function withWallet(path: string): Promise<OpenPage & { wallet: EvmWallet }> {
  const opened = await openPage();
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(opened.page, { privateKey: payer.privateKey, rpcUrls, chainId: CHAIN });
  await opened.page.goto(`${ground.origin}${path}`);
  return { ...opened, wallet };
}

test('a link that asks for details', async () => {
  const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
  const body = { appId: shop.appId, name: 'A year of tea', slug, requireBillingDetails: true };
  await shop.call('POST', '/payment-links', body);
  const { page, pictures } = await openPage();
  await page.goto(`${ground.origin}/link/${slug}`);
  await page.getByRole('button', { name: 'Continue to payment' }).waitFor();
  await pictures('link');
});

test('the hosted page, from the wallet to the receipt', async () => {
  const session = await shop.call('POST', '/checkout-sessions', {
    items: [
      { name: 'Green tea', amount: '9.50', quantity: 1 },
      { name: 'Bamboo whisk', amount: '3.00', quantity: 1 },
    ],
  });
  const { page, pictures } = await withWallet(`/checkout/${session.id}#${session.clientSecret}`);
  const card = (name: string) => page.locator(`[data-card="${name}"]`).waitFor({ timeout: PATIENCE_MS });
  const press = (name: RegExp) => page.getByRole('button', { name }).click();
  await card('wallet');
  await pictures('checkout-wallet');
  await press(/^Connect Test wallet$/);
  await card('way');
  await page
    .getByText(/^Balance: .* USDC$/)
    .first()
    .waitFor();
  await pictures('checkout-way');
  await press(/^Continue with/);
  await card('sign');
  await pictures('checkout-sign');
  await press(/^Sign to pay/);
  await card('receipt');
  await pictures('checkout-receipt');
});

test('a QR code for Solana', async () => {
  const session = await shop.call('POST', '/checkout-sessions', {
    items: [{ name: 'Green tea', amount: '12.50' }],
    allowedChains: [ground.demo.solana?.chainId],
  });
  const { page, pictures } = await openPage();
  await page.goto(`${ground.origin}/checkout/${session.id}#${session.clientSecret}`);
  await page.getByRole('button', { name: 'Show QR code' }).click();
  await page.getByRole('img', { name: /^QR code to pay/ }).waitFor();
  await pictures('solana-code');
});

test('the payer’s own page', async () => {
  const { page, pictures } = await withWallet(`/pay/${getAddress(payer.address)}`);
  await page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await page.getByRole('button', { name: 'Sign in with wallet' }).click();
  await page.getByText('Tea house').first().waitFor();
  await pictures('payer');
});

test('the dashboard', async () => {
  const subscription = await sellMonthly();
  const { merchantId, ownerEmail: email } = shop;
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: true });
  const { page, pictures } = await openPage({ expected: [/401/] });
  const look = async (path: string, name: string) => {
    await visitDashboard(ground, page, { email, path });
    await page.getByRole('main').getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    // The pointer must not hover over anything.
    await page.mouse.move(0, 0);
    await pictures(name);
  };
  await look('', 'overview');
  await look('/payments', 'payments');
  await look(`/payments/${paidId}`, 'payment');
  await look('/subscriptions', 'subscriptions');
  await look(`/subscriptions/${subscription}`, 'subscription');
  await look('/invoices', 'invoices');
  await look('/developers', 'developers');
  await look('/settings', 'settings');
  await look('/operations', 'operations');
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: false });
});

test('the dashboard on a tablet, on a wide screen and in German', async () => {
  const paths = ['', '/payments', `/payments/${paidId}`, '/subscriptions', '/invoices', '/developers', '/settings'];
  const screens = { tablet: { width: 768 }, wide: { width: 1920 }, german: { language: 'de' } } as const;
  for (const [screen, options] of Object.entries(screens)) {
    const { page, picture } = await openPage({ ...options, expected: [/401/] });
    for (const path of paths) {
      await visitDashboard(ground, page, { email: shop.ownerEmail, path });
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.waitForLoadState('networkidle');
      const [, list = 'overview', one] = path.split('/');
      await picture(`${screen}-${list}${one ? '-one' : ''}`);
    }
  }
});

/** Creates two subscriptions and, besides their invoices, a draft and an unpaid invoice. Returns the ID of one subscription. */
async function sellMonthly(): Promise<string> {
  await sell({ name: 'Grace', planName: 'Matcha box', amount: '24' });
  const { id, customerAccountId } = await sell({ name: 'Ada', planName: 'Tea club', amount: '10' });
  const { appId } = shop;
  const items = [{ description: 'Tea for an office', quantity: 3, amount: '48.00' }];
  await shop.call('POST', '/invoices', { appId, customerAccountId, items });
  const open = await shop.call('POST', '/invoices', { appId, customerAccountId, items });
  await shop.call('POST', `/invoices/${open.id}/open`);
  return id;
}

/** Waits until it is paid: a wallet pays one thing after the other. */
async function sell(what: Parameters<typeof subscribe>[3]): ReturnType<typeof subscribe> {
  const sold = await subscribe(ground, shop, payer, what);
  const status = async () => (await shop.call('GET', `/subscriptions/${sold.id}`)).status;
  await expect.poll(status, { timeout: PATIENCE_MS }).toBe('ACTIVE');
  return sold;
}
