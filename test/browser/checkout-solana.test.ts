/** The hosted page on Solana, from the choice of a wallet to the receipt: by a wallet, and by a code that another scans. */
import { beforeAll, expect, test } from 'vitest';
import { paySolanaUrl } from '../setup/pay-solana-url.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { injectSolanaWallet } from './setup/inject-solana-wallet.ts';
import { openPage } from './setup/open-page.ts';

const RECEIPT_MS = 120_000;

let ground: BrowserGround;
let shop: ShopGround;
let rpcUrl: string;
beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  rpcUrl = ground.demo.solana?.rpcUrl ?? '';
});

async function openSession(): Promise<{ url: string; paymentIntentId: string }> {
  const session = await shop.call('POST', '/checkout-sessions', {
    items: [{ name: 'Green tea', amount: '12.50' }],
    allowedChains: [103],
  });
  return {
    url: `${ground.origin}/checkout/${session.id}#${session.clientSecret}`,
    paymentIntentId: session.paymentIntentId,
  };
}

test('a Solana wallet declines once, then pays; the page says who holds the money and ends with the receipt', async () => {
  const payer = await ground.newSolanaPayer();
  const { url, paymentIntentId } = await openSession();
  const { page, pictures, axe } = await openPage();
  const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl });
  await page.goto(url);
  await page.getByRole('radio', { name: /PYUSD/ }).waitFor();
  expect(await axe()).toEqual([]);
  await pictures('solana-wallets');
  await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
  await page.getByText('there is no escrow contract, and no dispute').waitFor();
  expect(await axe()).toEqual([]);
  await pictures('solana-sign');

  wallet.behave('solana:signAndSendTransaction', 'reject');
  const pay = page.getByRole('button', { name: 'Sign to pay 12.50 USDC' });
  await pay.click();
  await page.locator('[data-notice="REJECTED"]').waitFor();
  wallet.behave('solana:signAndSendTransaction');
  await pay.click();
  await page.locator('[data-card="receipt"]').waitFor({ timeout: RECEIPT_MS });
  expect(await page.locator('#page').textContent()).not.toMatch(/escrow/i);
  await pictures('solana-receipt');
  const intent = await ground.database.paymentIntent.findUniqueOrThrow({ where: { id: paymentIntentId } });
  expect(intent.authorizationWalletAddress).toBe(payer.address);
  expect(wallet.asked().filter((feature) => feature === 'solana:signAndSendTransaction')).toHaveLength(2);
}, 240_000);

test('a payer without a wallet in the browser scans the code, on a phone and in German, and the page sees the payment', async () => {
  const payer = await ground.newSolanaPayer();
  const { url, paymentIntentId } = await openSession();
  const { page, pictures, axe } = await openPage({ width: 360, language: 'de' });
  await page.goto(url);
  await page.getByRole('button', { name: 'Code zum Scannen zeigen' }).click();
  const code = page.getByRole('img', { name: /^Code, der 12.5 USDC bezahlt/ });
  await code.waitFor();
  expect(await axe()).toEqual([]);
  await pictures('solana-code');
  await page.getByText('Meine Wallet kann nicht scannen').click();
  await page.getByText('Genau', { exact: true }).waitFor();
  const paymentUrl = (await code.getAttribute('data-payment-url')) ?? '';
  await paySolanaUrl(rpcUrl, payer, paymentUrl);
  await page.locator('[data-card="receipt"]').waitFor({ timeout: RECEIPT_MS });
  const intent = await ground.database.paymentIntent.findUniqueOrThrow({ where: { id: paymentIntentId } });
  expect(intent.authorizationWalletAddress).toBe(payer.address);
}, 240_000);
