/** Wallets that approve and pay in one batch (EIP-5792) at the hosted page: on the local chain, by a real delegated account (EIP-7702). */
import { createPublicClient, http } from 'viem';
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { asked, CHAIN, card, choose, makeLink, notice, paymentOf, press, visit } from './setup/payer-visit.ts';
import type { BatchMode } from './setup/wallet-batches.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** Opens the quote of a token without permits, which needs two steps. */
async function toBatch(batches: BatchMode, options: { language?: 'de'; width?: number } = {}) {
  const { path } = await makeLink(shop);
  const seen = await visit(ground, path, { batches, ...options });
  await press(seen.page, options.language ? /verbinden$/ : /^Connect /);
  await choose(seen.page, `USDT-${CHAIN}`);
  await press(seen.page, options.language ? /^Weiter mit/ : /^Continue with/);
  await card(seen.page, 'sign');
  return seen;
}

test('approves and pays with one click, in one transaction of a delegated account', async () => {
  const { page, wallet, axe, pictures } = await toBatch('atomic');
  await page.getByText('Allow Sluice’s escrow contract to transfer exactly 12.50 USDT.').waitFor();
  await page.getByText('Your wallet carries out all steps as one: either all succeed or none does.').waitFor();
  await pictures('checkout-batch');
  expect(await axe()).toEqual([]);
  await press(page, /^Pay 12\.50 USDT$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['wallet_sendCalls']);
  const payment = await paymentOf(ground, page);
  expect(payment).toMatchObject({ authorizationMethod: 'DIRECT', authorizationWalletAddress: wallet.address });
  const rpcUrl = ground.demo.chains.find(({ chainId }) => chainId === CHAIN)?.rpcUrl;
  const node = createPublicClient({ transport: http(rpcUrl) });
  const hash = payment.authorizationTxHash as `0x${string}`;
  // The account called itself, with an authorization of its own key: no other account took part.
  expect(await node.getTransaction({ hash })).toMatchObject({ type: 'eip7702', from: wallet.address.toLowerCase() });
  expect(await node.getCode({ address: wallet.address })).toMatch(/^0xef0100/);
});

test('accepts a payment from a wallet that sent the calls of its batch one by one', async () => {
  const { page, wallet } = await toBatch('oneByOne');
  await press(page, /^Pay 12\.50 USDT$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['wallet_sendCalls']);
});

test('reports a partially executed batch, and requests only the remaining call', async () => {
  const { page, wallet } = await toBatch('partial');
  await press(page, /^Pay 12\.50 USDT$/);
  await notice(page, 'BATCH_PARTIAL');
  // The approval remains valid, and is not requested again.
  await press(page, /^Update price$/);
  await press(page, /^Pay 12\.50 USDT$/);
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['wallet_sendCalls', 'eth_sendTransaction']);
});

test('lets the payer retry with one click after a batch fails, is declined or is not supported', async () => {
  const { page, wallet } = await toBatch('failed');
  wallet.behave('wallet_sendCalls', 'reject');
  await press(page, /^Pay 12\.50 USDT$/);
  await notice(page, 'REJECTED');
  wallet.behave('wallet_sendCalls');
  await press(page, /^Pay 12\.50 USDT$/);
  await notice(page, 'BATCH_FAILED');
  await page.reload();
  await choose(page, `USDT-${CHAIN}`);
  await press(page, /^Continue with/);
  await card(page, 'sign');
  // If the batch is not supported, the steps are sent one by one without another click.
  wallet.behave('wallet_sendCalls', 'notAtomic');
  await press(page, /^Pay 12\.50 USDT$/);
  await card(page, 'receipt');
  expect(asked(wallet).slice(2)).toEqual(['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction']);
});

test('does not request a batch again if the wallet never reports its status, and detects the payment', async () => {
  const { page, wallet } = await toBatch('mute', { language: 'de', width: 360 });
  await press(page, /^12,50 USDT bezahlen$/);
  // The payment may be noticed before the press, and the button goes with its card.
  await Promise.race([press(page, /^Neu beginnen$/), card(page, 'receipt')]);
  await page.locator('[data-card="unsure"], [data-card="progress"], [data-card="receipt"]').waitFor();
  await card(page, 'receipt');
  expect(asked(wallet)).toEqual(['wallet_sendCalls']);
});
