/** Errors at the hosted page: each has a message and a next step, and nothing is paid twice. */
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import {
  asked,
  CHAIN,
  card,
  choose,
  makeLink,
  notice,
  OTHER_CHAIN,
  paymentOf,
  press,
  sessionId,
  toQuote,
  visit,
  watch,
} from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** What a browser prints of an answer that was refused or did not come. */
const network = [/Failed to load resource/, /WebSocket connection/];

test('shows a message for an unknown link, an inactive link, an unknown session and a missing wallet', async () => {
  const { page, pictures, axe } = await openPage({ expected: network });
  await page.goto(`${ground.origin}/link/nowhere`);
  await page.getByRole('heading', { name: 'Payment link not found' }).waitFor();
  const { id, path } = await makeLink(shop);
  await page.goto(`${ground.origin}${path}`);
  await card(page, 'wallet');
  await notice(page, 'NO_WALLET');
  await pictures('checkout-no-wallet');
  expect(await axe()).toEqual([]);
  const session = sessionId(page);
  await page.goto(`${ground.origin}/checkout/${session}#not-the-secret`);
  await page.reload();
  await page.getByRole('heading', { name: 'Payment page not found' }).waitFor();
  await ground.database.paymentLink.update({ where: { id }, data: { isActive: false } });
  await page.goto(`${ground.origin}${path}`);
  await page.locator('[data-end="inactive"]').waitFor();
  expect(await axe()).toEqual([]);
});

test('a link that cannot be opened shows the reason and the contact, and keeps what was entered', async () => {
  const own = await ground.openShop('Closing shop');
  await ground.database.app.update({ where: { id: own.appId }, data: { supportEmail: 'help@closing.example' } });
  const { page, context, axe, pictures } = await openPage({ expected: network });
  // The longest wait for a response, but not the others, is shortened.
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(ms === 20_000 ? 300 : ms);
  });
  const { path: automatic } = await makeLink(own);
  const isStart = (text: string | null) => text?.includes('mutation LinkStart') === true;
  await context.route('**/graphql', async (route) => {
    if (!isStart(route.request().postData())) return await route.fallback();
    const error = { message: 'Wait.', extensions: { code: 'INTERNAL_ERROR' } };
    await route.fulfill({ status: 500, json: { errors: [error] } });
  });
  await page.goto(`${ground.origin}${automatic}`);
  await page.locator('[data-end="unopened"]').waitFor();
  await page.getByText('Nothing was charged. Try again.').waitFor();
  await page.getByRole('link', { name: 'help@closing.example' }).waitFor();
  await pictures('checkout-unopened');
  expect(await axe()).toEqual([]);

  const { id, path } = await makeLink(own, { amount: undefined, minimumQuantity: 1, maximumQuantity: 1 });
  await page.goto(`${ground.origin}${path}`);
  await page.getByLabel('Amount').fill('3.00');
  await press(page, /^Continue to payment$/);
  await notice(page, 'UNOPENED');
  await context.unroute('**/graphql');
  // Nothing answers, as on a connection that is lost without an error.
  await context.route('**/graphql', async (route) => {
    if (!isStart(route.request().postData())) await route.fallback();
  });
  await press(page, /^Continue to payment$/);
  await notice(page, 'NETWORK');
  expect(await page.getByLabel('Amount').inputValue()).toBe('3.00');
  await context.unroute('**/graphql');
  await ground.database.paymentLink.update({ where: { id }, data: { isActive: false } });
  await press(page, /^Continue to payment$/);
  await page.locator('[data-end="inactive"]').waitFor();
  await page.getByRole('link', { name: 'help@closing.example' }).waitFor();
  expect(await axe()).toEqual([]);
});

test('continues with one click after a rejection, a chain switch, a reload or an expired quote', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet } = await visit(ground, path, { chainId: OTHER_CHAIN, expected: network });
  wallet.behave('wallet_requestPermissions', 'reject');
  await press(page, /^Connect /);
  await notice(page, 'REJECTED');
  // The payer's own decision is not an error.
  expect(await page.locator('[data-notice="REJECTED"]').getAttribute('role')).toBe('status');
  wallet.behave('wallet_requestPermissions');
  await press(page, /^Connect /);
  await card(page, 'way');
  await choose(page, `USDC-${CHAIN}`);
  await notice(page, 'WRONG_CHAIN');
  wallet.behave('wallet_switchEthereumChain', 'reject');
  await press(page, /^Switch to .* and continue$/);
  await notice(page, 'REJECTED');
  wallet.behave('wallet_switchEthereumChain');
  await press(page, /^Switch to .* and continue$/);
  await card(page, 'sign');

  wallet.behave('eth_signTypedData_v4', 'reject');
  await press(page, /^Sign to pay/);
  await notice(page, 'REJECTED');
  await page.reload();
  await card(page, 'way');
  await choose(page, `USDC-${CHAIN}`);
  await press(page, /^Continue with/);
  await card(page, 'sign');

  const { id: paymentIntentId } = await paymentOf(ground, page);
  await ground.database.quote.updateMany({ where: { paymentIntentId }, data: { expiresAt: new Date(0) } });
  wallet.behave('eth_signTypedData_v4');
  await press(page, /^Sign to pay/);
  await notice(page, 'QUOTE_EXPIRED');
  await press(page, /^Update price$/);
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
});

test('shows what a wallet lacks to pay, and reports a transaction that fails for lack of gas', async () => {
  const { path } = await makeLink(shop);
  const poor = await visit(ground, path, { isPoor: true });
  await press(poor.page, /^Connect /);
  await notice(poor.page, 'NOTHING_TO_PAY_WITH');
  expect(await poor.page.locator('[data-way] input:enabled').count()).toBe(0);
  expect(await poor.axe()).toEqual([]);
  await poor.picture('checkout-too-little');

  const { page, wallet } = await visit(ground, path);
  await toQuote(page, `ETH-${CHAIN}`);
  wallet.behave('eth_sendTransaction', 'noMoney');
  await press(page, /^Pay \d/);
  await notice(page, 'NO_GAS');
  wallet.behave('eth_sendTransaction', 'hang');
  await press(page, /^Pay \d/);
  const busy = page.getByRole('button', { name: 'Confirm in your wallet' });
  await busy.waitFor();
  await busy.click({ force: true });
  await busy.click({ force: true });
  wallet.behave('eth_sendTransaction');
  await card(page, 'receipt');
  // Once without gas and once successfully: clicks on a busy button request nothing.
  expect(asked(wallet)).toEqual(['eth_sendTransaction', 'eth_sendTransaction']);
});

test('makes no new request to a wallet with an unknown result until the payer says that nothing was sent', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, axe, pictures } = await visit(ground, path);
  await toQuote(page, `ETH-${CHAIN}`);
  wallet.behave('eth_sendTransaction', 'break');
  await press(page, /^Pay \d/);
  await card(page, 'unsure');
  await pictures('checkout-unsure');
  expect(await axe()).toEqual([]);
  await page.reload();
  await card(page, 'unsure');
  await page.getByText(/^The payment can still arrive until \d/).waitFor();
  expect(await page.locator('[data-action]').count()).toBe(0);
  await press(page, /^The payment was not sent$/);
  await card(page, 'way');
  await choose(page, `ETH-${CHAIN}`);
  await press(page, /^Continue with/);
  await card(page, 'sign');

  wallet.behave('eth_sendTransaction', 'lose');
  await press(page, /^Pay \d/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_sendTransaction', 'eth_sendTransaction']);
});

test('reports an unavailable node, and shows one payment after a reload and in another browser', async () => {
  const { path } = await makeLink(shop);
  const { page, wallet, context } = await visit(ground, path, { expected: network });
  const shown = await watch(page);
  await card(page, 'wallet');
  await page.reload();
  await press(page, /^Connect /);
  await choose(page, `ETH-${CHAIN}`);

  let isDown = true;
  await page.route('**/graphql', async (route) => {
    const text = route.request().postData() ?? '';
    // The wallet has sent the transaction. The page’s report of it is blocked until the end of the test.
    if (text.includes('CheckoutConfirm')) return await route.abort();
    if (!isDown || !text.includes('CheckoutPrepare')) return await route.continue();
    isDown = false;
    const error = { message: 'The node does not answer.', extensions: { code: 'CHAIN_UNAVAILABLE', retryable: true } };
    await route.fulfill({ status: 503, json: { errors: [error] } });
  });
  await press(page, /^Continue with/);
  await notice(page, 'CHAIN_DOWN');
  await press(page, /^Continue with/);
  await card(page, 'sign');
  await page.locator('[data-notice]').waitFor({ state: 'detached' });

  await press(page, /^Pay \d/);
  await page.locator('[data-card="progress"], [data-card="receipt"]').waitFor();
  expect(await shown.announced()).toContain('Your payment is processing');
  await page.reload();
  await card(page, 'receipt');
  expect((await shown.cards()).filter((name) => !/^(progress|receipt)$/.test(name))).toEqual([]);
  expect((await shown.announced()).at(-1)).toBe('Payment successful');
  expect(asked(wallet)).toEqual(['eth_sendTransaction']);

  // Another browser with only the address, without a wallet and without stored state.
  const { page: other } = await openPage();
  await other.goto(page.url());
  await card(other, 'receipt');
  await other.getByText((await paymentOf(ground, page)).id).waitFor();
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('shows the same payment and the same expiry of the session in two tabs', async () => {
  const { path } = await makeLink(shop);
  const { page, context, wallet } = await visit(ground, path);
  await card(page, 'wallet');
  const other = await context.newPage();
  await other.goto(page.url());
  await card(other, 'wallet');
  await toQuote(page, `USDC-${CHAIN}`);
  await press(page, /^Sign to pay/);
  await card(other, 'receipt');
  await card(page, 'receipt');
  await page.reload();
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['eth_signTypedData_v4']);

  await page.goto(`${ground.origin}${path}`);
  await card(page, 'way');
  await shop.call('POST', `/checkout-sessions/${sessionId(page)}/expire`);
  await card(page, 'expired');
});

test('shows that the API is unreachable, and continues on its own when it is back', async () => {
  const { path } = await makeLink(shop);
  const { page, context } = await visit(ground, path, { expected: network });
  await card(page, 'wallet');
  const address = page.url();
  await context.setOffline(true);
  await context.route('**/graphql', (route) => route.abort());
  await toggleVisibility();
  await context.setOffline(false);
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('[data-end="unreachable"]').waitFor();
  await context.unroute('**/graphql');
  await card(page, 'wallet');

  async function toggleVisibility(): Promise<void> {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  }
});

test('shows the wallets and the link without the QR code when its library cannot be loaded', async () => {
  const { path } = await makeLink(shop);
  const { page, context } = await openPage({ expected: network });
  let refused = 0;
  await context.route(/\/assets\/qr-code-.*\.js$/, (route) => {
    refused += 1;
    return route.abort();
  });
  await page.goto(`${ground.origin}${path}`);
  await expect.poll(() => refused, { timeout: 60_000 }).toBe(1);
  const elsewhere = page.locator('[data-elsewhere="scan"]');
  await elsewhere.getByText('The code could not be loaded').waitFor();
  await elsewhere.getByRole('button', { name: 'Copy' }).waitFor();
  await card(page, 'wallet');
});

test('withdraws the receipt after a reorganization, and shows it again when the payment returns', async () => {
  const { path } = await makeLink(shop, { allowedChains: [OTHER_CHAIN] });
  const { page } = await visit(ground, path, { chainId: OTHER_CHAIN });
  await toQuote(page, `ETH-${OTHER_CHAIN}`);
  await press(page, /^Pay \d/);
  await card(page, 'receipt');
  const { authorizationTxHash: hash } = await paymentOf(ground, page);
  const dropped = await reorganise(OTHER_CHAIN, hash ?? '');
  await page.locator('[data-stage="reorged"]').waitFor({ timeout: 120_000 });
  await dropped.comeBack();
  await card(page, 'receipt');
});

/** Drops the block of a transaction and all after it; the other transactions are sent again at once, because other tests are paying too. */
async function reorganise(chainId: number, hash: string): Promise<{ comeBack(): Promise<void> }> {
  const rpcUrl = ground.demo.chains.find((chain) => chain.chainId === chainId)?.rpcUrl ?? '';
  const request = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return (await answer.json()).result;
  };
  const raw = await request('eth_getRawTransactionByHash', [hash]);
  // A block that is mined meanwhile would be dropped in place of the first.
  for (let attempt = 0; attempt < 10; attempt++) {
    const receipt = await request('eth_getTransactionReceipt', [hash]);
    if (receipt === null) return { comeBack: () => request('eth_sendRawTransaction', [raw]) };
    await drop(Number(receipt.blockNumber));
  }
  throw new Error(`Chain ${chainId} keeps ${hash}.`);

  async function drop(first: number): Promise<void> {
    const head = Number(await request('eth_blockNumber', []));
    const others: string[] = [];
    for (let block = first; block <= head; block++) {
      const { transactions } = await request('eth_getBlockByNumber', [`0x${block.toString(16)}`, false]);
      for (const one of transactions)
        if (one !== hash) others.push(await request('eth_getRawTransactionByHash', [one]));
    }
    await request('anvil_reorg', [head - first + 1, []]);
    for (const one of others) await request('eth_sendRawTransaction', [one]);
  }
}
