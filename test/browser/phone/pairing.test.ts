/** A wallet on a phone, paired by WalletConnect's protocol over a relay of the test's own: real clients on both sides. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { type OpenPage, openPage } from '../setup/open-page.ts';
import { card, choose, makeLink, notice, paymentOf, press } from '../setup/payer-visit.ts';
import { startPairedApi } from './paired-api.ts';
import { openPhoneWallet, type PhoneWallet } from './phone-wallet.ts';
import { type Relay, startRelay } from './relay.ts';

// On a busy machine a whole flow takes minutes.
vi.setConfig({ testTimeout: 300_000 });
const PATIENCE = { timeout: 90_000 };
const USDC = 'USDC-31337';

let ground: BrowserGround;
let shop: ShopGround;
let origin: string;
let relay: Relay;
let phone: PhoneWallet;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
  origin = await startPairedApi();
  relay = await startRelay();
  const { privateKey } = await ground.newPayer();
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  phone = await openPhoneWallet({ relayUrl: relay.url, privateKey, rpcUrls });
});

afterAll(async () => {
  await phone?.close();
  await relay?.close();
});

/** WalletConnect's servers beside the relay, which the browser of the tests cannot reach: it prints that, and pairs all the same. */
const elsewhere = [/walletconnect\.(org|com)/];

async function openLink(isRelayThere = true): Promise<OpenPage> {
  const { path } = await makeLink(shop);
  const opened = await openPage({ expected: elsewhere });
  if (isRelayThere) await relay.serve(opened.page);
  await opened.page.goto(`${origin}${path}`);
  await card(opened.page, 'wallet');
  return opened;
}

/** The pairing URI, which is in the code and in the link for wallets on the same device. */
async function pairingUri(page: Page): Promise<string> {
  await press(page, /^Mobile wallet$/);
  const link = page.getByRole('link', { name: 'Open wallet' });
  await link.waitFor();
  await page.getByRole('img', { name: 'Scan this code with your wallet' }).waitFor();
  return (await link.getAttribute('href')) ?? '';
}

test('a mobile wallet is paired with the QR code and pays, and is still connected after a reload', async () => {
  const { page, picture, axe } = await openLink();
  const uri = await pairingUri(page);
  expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/);
  await picture('walletconnect-code');
  expect(await axe()).toEqual([]);
  phone.owner('agrees');
  await phone.scan(uri);
  await card(page, 'way');
  await choose(page, USDC);
  await page.reload();
  await card(page, 'way');
  await choose(page, USDC);
  await press(page, /^Continue with/);
  await card(page, 'sign');
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
  expect(phone.asked()).toContain('eth_signTypedData_v4');
  const payment = await paymentOf(ground, page);
  expect(payment.authorizationWalletAddress?.toLowerCase()).toBe(phone.address.toLowerCase());
  expect(['AUTHORIZED', 'CAPTURED', 'SETTLED']).toContain(payment.status);
  // What the relay saw are topics and ciphertext, in the protocol's own calls.
  expect(relay.called()).toEqual(expect.arrayContaining(['wc_proposeSession', 'wc_approveSession', 'irn_publish']));
});

test('a wallet that rejects the pairing or the signature lets the payer retry with one click', async () => {
  const { page } = await openLink();
  phone.owner('refusesPairing');
  await phone.scan(await pairingUri(page));
  await page.getByText('Could not connect to your mobile wallet. Try again.').waitFor();
  phone.owner('refusesRequests');
  await phone.scan(await pairingUri(page));
  await card(page, 'way');
  await choose(page, USDC);
  await press(page, /^Continue with/);
  await card(page, 'sign');
  await press(page, /^Sign to pay/);
  await notice(page, 'REJECTED');
  phone.owner('agrees');
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
});

test('without the relay the page reports that it could not connect, and offers a retry', async () => {
  const { page } = await openLink(false);
  await press(page, /^Mobile wallet$/);
  await page.getByText('Could not connect to your mobile wallet. Try again.').waitFor(PATIENCE);
  await relay.serve(page);
  await page.reload();
  await card(page, 'wallet');
  phone.owner('agrees');
  await phone.scan(await pairingUri(page));
  await card(page, 'way');
});
