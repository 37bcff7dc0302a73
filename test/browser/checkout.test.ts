/** The hosted page in a real browser, paid by a wallet that signs for real: every way from a link to its receipt. */
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { injectSolanaWallet } from './setup/inject-solana-wallet.ts';
import { openPage } from './setup/open-page.ts';
import { asked, CHAIN, card, choose, makeLink, paymentOf, press, tabTo, toQuote, visit } from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

test('a link is paid with one signature, and the page shows the terms before and the receipt after it', async () => {
  const rate = await shop.call('POST', '/tax-rates', { displayName: 'VAT', percentage: 25 });
  const { path } = await makeLink(shop, { amount: '10.00', taxRateId: rate.id });
  const { page, wallet, pictures, axe, asks } = await visit(ground, path);
  await page.waitForURL(/\/checkout\/[0-9a-f-]+#/);
  const summary = page.getByRole('region', { name: 'Order summary' });
  for (const words of ['Corner shop', 'Green tea', '12.50 USD']) await summary.getByText(words).first().waitFor();
  const sums = (await summary.locator('dt, dd').allTextContents()).join(' ').replaceAll(/\s+/g, ' ');
  expect(sums).toBe('Subtotal 10.00 USD Tax 2.50 USD Total 12.50 USD');
  await page.getByText('Test mode').waitFor();
  await card(page, 'wallet');
  await pictures('checkout-wallet');
  expect(await axe()).toEqual([]);

  await press(page, /^Connect Test wallet$/);
  await card(page, 'way');
  await page.getByText(/^Balance: 1,000,000\.00 USDC$/).waitFor();
  await pictures('checkout-way');
  expect(await axe()).toEqual([]);

  await press(page, /^Continue with 12\.50 USDC$/);
  await card(page, 'sign');
  await page.getByText(/^Pay exactly 12\.50 USDC into Sluice’s escrow contract once, until \d/).waitFor();
  await page.getByText(/^Your payment is held in escrow\. You can open a dispute for 5 seconds/).waitFor();
  const secondsHeld = async () => {
    const [, minutes, seconds] =
      /(\d+):(\d\d)/.exec((await page.getByText(/^Price valid for/).textContent()) ?? '') ?? [];
    return Number(minutes) * 60 + Number(seconds);
  };
  const held = await secondsHeld();
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(600);
  await expect.poll(secondsHeld, { timeout: 30_000 }).toBeLessThan(held);
  await pictures('checkout-sign');
  expect(await axe()).toEqual([]);

  await press(page, /^Sign to pay 12\.50 USDC$/);
  await card(page, 'receipt');
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4']);
  const payment = await paymentOf(ground, page);
  expect(payment).toMatchObject({ authorizationMethod: 'PERMIT', authorizationWalletAddress: wallet.address });
  await page.getByText(payment.id).waitFor();
  await pictures('checkout-receipt');
  expect(await axe()).toEqual([]);

  // GraphQL, by HTTP and live, is all of the API that the page asks; beside it only its own files and the chains' nodes.
  const own = [/^\/link\/[\w-]+$/, /^\/graphql$/, /^\/assets\//, /^\/images\//];
  const nodes = new Set(ground.demo.chains.map(({ rpcUrl }) => new URL(rpcUrl).origin));
  const strange = asks.filter((url) => {
    const { host, origin, pathname } = new URL(url);
    return !(nodes.has(origin) || (host === new URL(ground.origin).host && own.some((one) => one.test(pathname))));
  });
  expect(strange).toEqual([]);
  expect(asks).toContain(`${ground.origin}/graphql`);
  expect(asks).toContain(`${ground.origin.replace('http', 'ws')}/graphql`);
});

test('a link is paid with an approval and a signature, in a narrow dark window, by keyboard alone', async () => {
  const { path } = await makeLink(shop, { successUrl: 'https://shop.example/thanks' });
  const { page, wallet, axe } = await visit(ground, path, { scheme: 'dark', width: 320 });
  const pressKey = async (name: RegExp) => {
    await tabTo(page, page.getByRole('button', { name }));
    await page.keyboard.press('Enter');
  };
  await pressKey(/^Connect Test wallet$/);
  // The group of payment options is one tab stop, at the selected one. Arrow keys move from there.
  const usdt = page.locator(`[data-way="USDT-${CHAIN}"] input`);
  await tabTo(page, page.locator('[data-way] input:checked'));
  for (let presses = 0; presses < 5 && !(await usdt.isChecked()); presses++) await page.keyboard.press('ArrowDown');
  await pressKey(/^Continue with 12\.50 USDT$/);
  await page.getByText('Allow Sluice’s escrow contract to transfer exactly 12.50 USDT.').waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await pressKey(/^Approve 12\.50 USDT$/);
  await press(page, /^Stay on this page$/);
  expect(await page.getByText(/^You are redirected in/).count()).toBe(0);
  expect(await page.title()).toBe('Receipt from Corner shop');
  expect(asked(wallet)).toEqual(['eth_sendTransaction', 'eth_signTypedData_v4']);
  expect((await paymentOf(ground, page)).authorizationMethod).toBe('APPROVAL');
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('a link is paid with a transaction in German on a slow network, and the payer returns to the shop', async () => {
  const { path } = await makeLink(shop, {
    allowedTokens: [`USDT-${CHAIN}`, `ETH-${CHAIN}`],
    successUrl: `${ground.origin}/link/thanks`,
    cancelUrl: 'https://shop.example/no',
  });
  const { page, wallet } = await visit(ground, path, {
    language: 'de',
    isSlow: true,
    expected: [/404 \(Not Found\)/],
  });
  await press(page, /^Test wallet verbinden$/);
  await card(page, 'way');
  expect(await page.getByRole('link', { name: 'Zahlung abbrechen' }).getAttribute('href')).toBe(
    'https://shop.example/no',
  );
  // Of the chains and tokens of this installation, only those that the link allows.
  await choose(page, `ETH-${CHAIN}`);
  const ways = page.locator('[data-way]');
  const keys = await ways.evaluateAll((all) => all.map((way) => way.getAttribute('data-way')));
  expect(keys.sort()).toEqual([`ETH-${CHAIN}`, `USDT-${CHAIN}`]);
  await press(page, /^Weiter mit/);
  await card(page, 'sign');
  await press(page, /^[\d.,]+ ETH bezahlen$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_sendTransaction']);
  expect((await paymentOf(ground, page)).authorizationMethod).toBe('DIRECT');
  await page.waitForURL(/\/link\/thanks$/);
});

test('a link is paid on Solana with one signature of a Solana wallet, and settles', async () => {
  const [{ path }, payer] = await Promise.all([
    makeLink(shop, { allowedChains: [ground.demo.solana?.chainId] }),
    ground.newSolanaPayer(),
  ]);
  const { page } = await openPage();
  const rpcUrl = ground.demo.solana?.rpcUrl ?? '';
  const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl });
  await page.goto(`${ground.origin}${path}`);
  await press(page, /^Connect Test Solana wallet$/);
  await press(page, /^Sign to pay 12\.50 USDC$/);
  await card(page, 'receipt');
  const payment = () => paymentOf(ground, page);
  await page.getByText((await payment()).id).waitFor();
  expect((await payment()).authorizationWalletAddress).toBe(payer.address);
  expect(wallet.asked().filter((feature) => feature !== 'connect')).toEqual(['solana:signAndSendTransaction']);
  await expect.poll(async () => (await payment()).status, { timeout: 120_000 }).toBe('SETTLED');
});

test('a link asks for a missing amount and details, and reports invalid ones', async () => {
  const { path } = await makeLink(shop, { amount: undefined, requireBillingDetails: true });
  const { page, axe, pictures } = await visit(ground, path, { expected: [/400 \(Bad Request\)/] });
  await page.getByLabel('Amount').fill('4,2');
  await page.getByLabel('Currency').selectOption('EUR');
  const details = {
    Email: 'ada@',
    'Full name': 'Ada',
    'Street and number': 'Way 1',
    'Postal code': '1',
    City: 'X',
    Country: 'Y',
  };
  for (const [label, text] of Object.entries(details)) await page.getByLabel(label).fill(text);
  await pictures('checkout-begin');
  expect(await axe()).toEqual([]);
  await page.getByLabel('Email').fill('ada@example.c');
  await press(page, /^Continue to payment$/);
  await page.getByText('Enter a valid email address, such as name@example.com').waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Amount').fill('1.234,50');
  await press(page, /^Continue to payment$/);
  await page.getByText('Enter an amount, such as 10.00').waitFor();
  await page.getByLabel('Amount').fill('4,2');
  await press(page, /^Continue to payment$/);
  await card(page, 'wallet');
  expect(await paymentOf(ground, page)).toMatchObject({ currency: 'EUR', customerAccountId: expect.any(String) });
  await page.getByText('4.20 EUR').first().waitFor();
});

test('a subscription starts with its cap shown and its first period paid', async () => {
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Tea club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '8.00', billingInterval: 'MONTH' }],
  });
  const { path } = await makeLink(shop, {
    amount: undefined,
    productPlanId: plan.id,
    successUrl: 'https://shop.example/thanks',
  });
  const { page, wallet, pictures, axe } = await visit(ground, path);
  await page.getByText('every month').first().waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await press(page, /^Continue to payment$/);
  await toQuote(page, `USDC-${CHAIN}`);
  await page.getByText('Agree to pay 8.00 USDC now and at most 10.00 USDC every month until you cancel.').waitFor();
  await page.getByText(/transfer up to 120\.00 USDC in total/).waitFor();
  await pictures('checkout-subscription');
  expect(await axe()).toEqual([]);
  await press(page, /^Sign to pay 8\.00 USDC$/);
  const redirect = page.getByText(/^You are redirected in/);
  await redirect.waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await redirect.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Subscription active' }).waitFor();
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4', 'eth_signTypedData_v4']);
});

test('a subscription with a coupon shows its duration and the price after it, before and during signing', async () => {
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Tea club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '20.00', billingInterval: 'MONTH' }],
  });
  const discount = { percentOffBps: 5_000, duration: 'REPEATING', durationPeriods: 2 };
  const coupon = await shop.call('POST', '/coupons', { appId: shop.appId, name: 'Welcome', ...discount });
  const { path } = await makeLink(shop, { amount: undefined, productPlanId: plan.id, couponId: coupon.id });
  const { page, wallet, pictures, axe } = await visit(ground, path, { width: 320 });
  const terms = '50 % off for 2 months, then 20.00 USD every month';
  await page.getByText(terms, { exact: true }).waitFor();
  await page.getByText('Discount: Welcome').waitFor();
  await pictures('checkout-coupon-link');
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.getByLabel('Email').fill('ada@example.com');
  await press(page, /^Continue to payment$/);
  await toQuote(page, `USDC-${CHAIN}`);
  await page
    .getByText(`Agree to pay 10.00 USDC now and at most 25.00 USDC every month until you cancel. Coupon: ${terms}.`)
    .waitFor();
  await pictures('checkout-coupon');
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await press(page, /^Sign to pay 10\.00 USDC$/);
  await card(page, 'receipt');
  await page.getByRole('heading', { name: 'Subscription active' }).waitFor();
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4', 'eth_signTypedData_v4']);
  expect(await shop.call('GET', `/coupons/${coupon.id}`)).toMatchObject({ redemptionCount: 1 });
  const german = await visit(ground, path, { language: 'de' });
  await german.page.getByText('50 % Rabatt für 2 Monate, danach 20,00 USD jeden Monat', { exact: true }).waitFor();
});
