/** The hosted page in a real browser, paid by a wallet that signs for real: every EVM way from a link to its receipt. */
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { asked, CHAIN, card, choose, makeLink, paymentOf, press, toQuote, visit } from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

test('a link is paid by one signature, with everything said before and told after', async () => {
  const rate = await shop.call('POST', '/tax-rates', { displayName: 'VAT', percentage: 25 });
  const { path } = await makeLink(shop, { amount: '10.00', taxRateId: rate.id });
  const { page, wallet, pictures, axe } = await visit(ground, path);
  await page.waitForURL(/\/checkout\/[0-9a-f-]+#/);
  const summary = page.getByRole('region', { name: 'What you pay for' });
  for (const words of ['Corner shop', 'Green tea', '12.50 USD', '2.50 USD']) {
    await summary.getByText(words).first().waitFor();
  }
  await page.getByText('Test mode').waitFor();
  await card(page, 'wallet');
  await pictures('checkout-wallet');
  expect(await axe()).toEqual([]);

  await press(page, /^Connect Test wallet$/);
  await card(page, 'way');
  await page.getByText(/^You have 1,000,000\.00 USDC$/).waitFor();
  await pictures('checkout-way');
  expect(await axe()).toEqual([]);

  await press(page, /^Continue with 12\.50 USDC$/);
  await card(page, 'sign');
  await page.getByText(/^Pay exactly 12\.50 USDC into Sluice’s escrow, once, until \d/).waitFor();
  await page.getByText(/^Held in escrow: you can dispute for 5 seconds/).waitFor();
  await pictures('checkout-sign');
  expect(await axe()).toEqual([]);

  await press(page, /^Sign to pay 12\.50 USDC$/);
  await card(page, 'receipt');
  await page.getByRole('heading', { name: 'Paid. Thank you!' }).waitFor();
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4']);
  const payment = await paymentOf(ground, page);
  expect(payment).toMatchObject({ authorizationMethod: 'PERMIT', authorizationWalletAddress: wallet.address });
  await page.getByText(payment.id).waitFor();
  await pictures('checkout-receipt');
  expect(await axe()).toEqual([]);
});

test('a link is paid by an approval and a signature, in the dark, on a narrow screen', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, axe } = await visit(ground, path, { scheme: 'dark', width: 320 });
  await toQuote(page, `USDT-${CHAIN}`);
  await page.getByText('Allow Sluice’s escrow to take exactly 12.50 USDT.').waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await press(page, /^Allow 12\.50 USDT$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_sendTransaction', 'eth_signTypedData_v4']);
  expect((await paymentOf(ground, page)).authorizationMethod).toBe('APPROVAL');
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('a link is paid by the wallet’s own transaction, in German, and the payer goes back to the shop', async () => {
  const { path } = await makeLink(shop, {
    successUrl: `${ground.origin}/link/thanks`,
    cancelUrl: 'https://shop.example/no',
  });
  const { page, wallet } = await visit(ground, path, { language: 'de', expected: [/404 \(Not Found\)/] });
  await press(page, /^Test wallet verbinden$/);
  await card(page, 'way');
  expect(await page.getByRole('link', { name: 'Abbrechen und zurück' }).getAttribute('href')).toBe(
    'https://shop.example/no',
  );
  await choose(page, `ETH-${CHAIN}`);
  await press(page, /^Weiter mit/);
  await card(page, 'sign');
  await press(page, /^[\d.,]+ ETH bezahlen$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_sendTransaction']);
  expect((await paymentOf(ground, page)).authorizationMethod).toBe('DIRECT');
  await page.waitForURL(/\/link\/thanks$/);
});

test('a link that leaves amount and details to the payer asks for them, and says what is wrong with them', async () => {
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
  await page.getByText('Please check this.').waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await press(page, /^Continue to payment$/);
  await card(page, 'wallet');
  expect(await paymentOf(ground, page)).toMatchObject({ currency: 'EUR', customerAccountId: expect.any(String) });
  await page.getByText('4.20 EUR').first().waitFor();
});

test('a subscription begins with its cap said, and its first period paid', async () => {
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Tea club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '8.00', billingInterval: 'MONTH' }],
  });
  const { path } = await makeLink(shop, { amount: undefined, productPlanId: plan.id });
  const { page, wallet, pictures, axe } = await visit(ground, path);
  await page.getByText('every month').first().waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await press(page, /^Continue to payment$/);
  await toQuote(page, `USDC-${CHAIN}`);
  await page
    .getByText('Agree to pay 8.00 USDC now and then every month never more than 10.00 USDC, until you revoke it.')
    .waitFor();
  await page.getByText(/take up to 120\.00 USDC in all/).waitFor();
  await pictures('checkout-subscription');
  expect(await axe()).toEqual([]);
  await press(page, /^Sign to pay 8\.00 USDC$/);
  await card(page, 'receipt');
  await page.getByRole('heading', { name: 'You are subscribed' }).waitFor();
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4', 'eth_signTypedData_v4']);
});
