/** Interruptions at the hosted page: unresponsive wallets, reloads, a second tab, no network, and a payout address that changed meanwhile. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import {
  asked,
  CHAIN,
  card,
  choose,
  makeLink,
  notice,
  OTHER_CHAIN,
  press,
  toQuote,
  visit,
} from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** What a browser prints of an answer that did not come. */
const network = [/Failed to load resource/, /WebSocket connection/];

const startOver = (page: Page) => press(page, /^(Start over|Neu beginnen)$/);

test('a wallet that does not respond can be cancelled at every step, and the payment continues', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, axe, pictures } = await visit(ground, path, { chainId: OTHER_CHAIN });
  wallet.behave('wallet_requestPermissions', 'hang');
  wallet.behave('eth_requestAccounts', 'hang');
  await press(page, /^Connect /);
  await startOver(page);
  await notice(page, 'STARTED_OVER');
  // A late approval still connects the wallet.
  wallet.behave('wallet_requestPermissions');
  wallet.behave('eth_requestAccounts');
  await card(page, 'way');

  await choose(page, `USDC-${CHAIN}`);
  wallet.behave('wallet_switchEthereumChain', 'hang');
  await press(page, /^Switch to .* and continue$/);
  await startOver(page);
  await notice(page, 'STARTED_OVER');
  wallet.behave('wallet_switchEthereumChain');
  await choose(page, `USDC-${CHAIN}`);
  await page.getByRole('button', { name: /^(Switch to .* and continue|Continue with)/ }).click();
  await card(page, 'sign');

  wallet.behave('eth_signTypedData_v4', 'hang');
  await press(page, /^Sign to pay/);
  // After a while the page shows a possible cause.
  await notice(page, 'SLOW_WALLET');
  await pictures('checkout-slow-wallet');
  expect(await axe()).toEqual([]);
  await startOver(page);
  await card(page, 'way');
  await notice(page, 'STARTED_OVER');
  await pictures('checkout-started-over');
  expect(await axe()).toEqual([]);
  // A late signature is discarded.
  wallet.behave('eth_signTypedData_v4');
  await choose(page, `USDC-${CHAIN}`);
  await press(page, /^Continue with/);
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4', 'eth_signTypedData_v4']);
});

test('a payer who cancels a pending request is asked whether it was sent, and a late payment is detected', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet } = await visit(ground, path);
  await toQuote(page, `ETH-${CHAIN}`);
  wallet.behave('eth_sendTransaction', 'hang');
  await press(page, /^Pay \d/);
  await startOver(page);
  await card(page, 'unsure');
  // After a late rejection, nothing was sent, and the page asks no longer.
  wallet.behave('eth_sendTransaction', 'reject');
  await card(page, 'sign');

  wallet.behave('eth_sendTransaction', 'hang');
  await press(page, /^Pay \d/);
  await startOver(page);
  await card(page, 'unsure');
  wallet.behave('eth_sendTransaction');
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_sendTransaction', 'eth_sendTransaction']);
});

test('a reload during a payment request, the back button and a second tab restore the same state', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, context } = await visit(ground, path, { language: 'de' });
  await press(page, /verbinden$/);
  await card(page, 'way');
  await choose(page, `ETH-${CHAIN}`);
  await press(page, /^Weiter mit/);
  await card(page, 'sign');
  wallet.behave('eth_sendTransaction', 'hang');
  await press(page, /ETH bezahlen$/);
  await page.getByRole('button', { name: 'Neu beginnen' }).waitFor();
  await expect.poll(() => asked(wallet)).toEqual(['eth_sendTransaction']);
  await page.reload();
  await card(page, 'unsure');
  await press(page, /^Die Zahlung wurde nicht gesendet$/);
  await card(page, 'way');

  await page.goto('about:blank');
  await page.goBack();
  await card(page, 'way');
  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator('[data-card]').waitFor();
  // The wallet now sends the first request: there is one payment, and both tabs show it.
  wallet.behave('eth_sendTransaction');
  await card(page, 'receipt');
  await card(other, 'receipt');
});

test('a payout address that changed in the meantime is loaded with a new quote', async () => {
  const own = await ground.openShop('Moving shop');
  const { path } = await makeLink(own);
  const { page, wallet } = await visit(ground, path);
  await press(page, /^Connect /);
  await card(page, 'way');
  await choose(page, `USDC-${CHAIN}`);
  await ground.database.payoutAddress.updateMany({
    where: { appId: own.appId, family: 'EVM' },
    data: { address: localAccounts.payers[1]?.address ?? '' },
  });
  await press(page, /^Continue with/);
  await notice(page, 'MISMATCH');
  await press(page, /^Update price$/);
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4']);
});

test('the page reports a minute without a network, and the payment continues afterwards', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, context } = await visit(ground, path, { expected: network });
  await toQuote(page, `USDC-${CHAIN}`);
  await context.setOffline(true);
  await press(page, /^Sign to pay/);
  await notice(page, 'NETWORK');
  await context.setOffline(false);
  await press(page, /^Finish$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4']);
});

test('a session without payment options says so before a wallet is connected, and can be paid later', async () => {
  const bare = await ground.openShop('Bare shop');
  const payoutAddress = await ground.database.payoutAddress.findMany({ where: { appId: bare.appId } });
  await ground.database.payoutAddress.deleteMany({ where: { appId: bare.appId } });
  const session = await bare.call('POST', '/checkout-sessions', {
    items: [{ name: 'Green tea', amount: '12.50' }],
    cancelUrl: 'https://shop.example/cart',
  });
  const { page, wallet, axe, pictures } = await visit(ground, `/checkout/${session.id}#${session.clientSecret}`);
  await page.locator('[data-end="unpayable"]').waitFor();
  expect(await page.getByRole('button', { name: /^Connect / }).count()).toBe(0);
  expect(asked(wallet)).toEqual([]);
  await page.getByRole('link', { name: 'Cancel payment' }).waitFor();
  await pictures('checkout-unpayable');
  expect(await axe()).toEqual([]);
  await ground.database.payoutAddress.createMany({ data: payoutAddress });
  await press(page, /^Try again$/);
  await press(page, /^Connect /);
  await card(page, 'way');
});
