/** The hosted page paid by plain transfer: no wallet is connected, and an exchange sends. */
import { createWalletClient, erc20Abi, getAddress, type Hex, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { CHAIN, card, makeLink, paymentOf, press } from './setup/payer-visit.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

let ground: BrowserGround;
let shop: ShopGround;

vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** What an exchange does: it sends a token, and nothing else. */
async function send(to: string, amount: bigint): Promise<void> {
  const chain = ground.demo.chains.find(({ chainId }) => chainId === CHAIN);
  const token = chain?.tokens.find(({ key }) => key === `USDC-${CHAIN}`);
  if (!chain || !token) throw new Error('The installation has no USDC.');
  const { privateKey } = await ground.newPayer();
  const account = privateKeyToAccount(privateKey as Hex);
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const hash = await wallet.writeContract({
    address: getAddress(token.address),
    abi: erc20Abi,
    functionName: 'transfer',
    args: [getAddress(to), amount],
    chain: null,
  });
  await wallet.waitForTransactionReceipt({ hash });
}

test('a link is paid in two transfers, and the excess is refunded', async () => {
  const refundAddress = privateKeyToAccount(generatePrivateKey()).address;
  const { path } = await makeLink(shop);
  // A refused refund address is a 400, which the browser prints.
  const { page, axe, pictures } = await openPage({ expected: [/400 \(Bad Request\)/] });
  await page.goto(`${ground.origin}${path}`);
  await card(page, 'wallet');
  await press(page, /^Transfer from any wallet or exchange$/);
  await card(page, 'transfer');
  await page.locator(`[data-transfer="USDC-${CHAIN}"]`).click();
  const field = page.getByLabel('Refund address');
  await field.fill('0x12');
  await press(page, /^Show address$/);
  await page.getByText('Enter a wallet address that begins with 0x and has 42 characters').waitFor();
  await field.fill('0x0000000000000000000000000000000000000000');
  await press(page, /^Show address$/);
  await page.getByText(/^This address cannot be used\. Check it for errors/).waitFor();
  await pictures('transfer-begin');
  expect(await axe()).toEqual([]);
  await field.fill(refundAddress);
  await press(page, /^Show address$/);

  await page.locator('[data-stage="waiting"]').waitFor();
  const address = (await page.locator('[data-address]').getAttribute('data-address')) ?? '';
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  await page.getByRole('heading', { name: 'Send exactly 12.50 USDC' }).waitFor();
  await page.getByText(/^Send the payment within (59|60):\d\d\.$/).waitFor();
  await pictures('transfer-address');
  expect(await axe()).toEqual([]);

  await send(address, 5_000_000n);
  await page.locator('[data-stage="short"]').waitFor({ timeout: 90_000 });
  await page.getByText('5.00 USDC received, 7.50 USDC missing').waitFor();
  await pictures('transfer-short');
  expect(await axe()).toEqual([]);

  // A returning payer gets the same address.
  await page.reload();
  await page.locator('[data-stage="short"]').waitFor();
  expect(await page.locator('[data-address]').getAttribute('data-address')).toBe(address);

  await send(address, 9_500_000n);
  await card(page, 'receipt');
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  const payment = await paymentOf(ground, page);
  expect(payment).toMatchObject({ authorizationMethod: 'DIRECT', authorizationWalletAddress: refundAddress });
  const returned = async () =>
    (await ground.database.depositBalance.findFirst({ where: { deposit: { address } } }))?.returned.toFixed();
  await expect.poll(returned, { timeout: 90_000 }).toBe('2000000');
  await page.getByText(/^2\.00 USDC were returned to /).waitFor({ timeout: 90_000 });
  await pictures('transfer-receipt');
  expect(await axe()).toEqual([]);

  const dashboard = await openPage();
  await visitDashboard(ground, dashboard.page, { email: shop.ownerEmail, path: `/payments/${payment.id}` });
  const facts = dashboard.page.locator('[data-part="transfer"]');
  await facts.getByText('14.50 USDC').waitFor();
  await facts.getByText('2.00 USDC', { exact: true }).waitFor();
  await inspect(dashboard, 'payment-transfer');
});

test('a request for an address that is never answered ends, and the payer can try again', async () => {
  const { path } = await makeLink(shop);
  const { page, context } = await openPage({ expected: [/Failed to load resource/] });
  // The longest wait for a response is shortened.
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(ms === 20_000 ? 300 : ms);
  });
  await page.goto(`${ground.origin}${path}`);
  await press(page, /^Transfer from any wallet or exchange$/);
  await page.getByLabel('Refund address').fill(privateKeyToAccount(generatePrivateKey()).address);
  await context.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('mutation CheckoutTransferPrepare')) await route.fallback();
  });
  await press(page, /^Show address$/);
  await page.locator('[data-notice="NETWORK"]').waitFor();
  await context.unroute('**/graphql');
});

test('another payment option can be chosen in German, in the dark theme and on a narrow screen', async () => {
  const { path } = await makeLink(shop);
  const { page, axe } = await openPage({ language: 'de', scheme: 'dark', width: 320 });
  await page.goto(`${ground.origin}${path}`);
  await press(page, /^Aus beliebiger Wallet oder Börse überweisen$/);
  await page.locator(`[data-transfer="USDC-${CHAIN}"]`).click();
  await page.getByLabel('Erstattungsadresse').fill(privateKeyToAccount(generatePrivateKey()).address);
  await press(page, /^Adresse anzeigen$/);
  await page.locator('[data-stage="waiting"]').waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await press(page, /^Andere Zahlungsart wählen$/);
  await card(page, 'wallet');
});
