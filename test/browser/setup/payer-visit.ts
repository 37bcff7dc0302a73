/** A payer at the hosted page: a link to pay, a wallet in the page, and what payers press. */
import type { Page } from 'playwright-core';
import type { PaymentIntent } from '../../../prisma/client.ts';
import type { LocalAccount } from '../../../src/local/local-accounts.ts';
import type { BrowserGround, ShopGround } from './ground.ts';
import { type EvmWallet, injectEvmWallet } from './inject-evm-wallet.ts';
import { type OpenPage, openPage, type PageOptions } from './open-page.ts';

export const CHAIN = 31337;
export const OTHER_CHAIN = 31338;
/** A payment goes through worker, chain and indexer, on a machine that does much else. */
const PATIENCE_MS = 120_000;

export type Visit = OpenPage & { wallet: EvmWallet };

/** One of a test file, for money is quicker kept than given. */
let rich: Promise<LocalAccount> | undefined;

export async function visit(
  ground: BrowserGround,
  path: string,
  options: PageOptions & { isPoor?: boolean; chainId?: number } = {},
): Promise<Visit> {
  const { isPoor = false, chainId = CHAIN, ...page } = options;
  const opened = await openPage(page);
  if (!isPoor && !rich) rich = ground.newPayer();
  const { privateKey } = await (isPoor || !rich ? ground.newPayer({ isPoor }) : rich);
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(opened.page, { privateKey, rpcUrls, chainId });
  await opened.page.goto(`${ground.origin}${path}`);
  return { ...opened, wallet };
}

/** 12.50 USD on the first chain, unless `fields` say otherwise; answers its path. */
export async function makeLink(shop: ShopGround, fields: object = {}): Promise<{ id: string; path: string }> {
  const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
  const body = { appId: shop.appId, name: 'Green tea', slug, allowedChains: [CHAIN], amount: '12.50', ...fields };
  const link = await shop.call('POST', '/payment-links', body);
  return { id: link.id, path: `/link/${slug}` };
}

export async function press(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
}

/** Waits for a card: wallet, way, sign, progress, receipt, expired, over. */
export async function card(page: Page, name: string): Promise<void> {
  await page.locator(`[data-card="${name}"]`).waitFor({ timeout: PATIENCE_MS });
}

export async function notice(page: Page, name: string): Promise<void> {
  await page.locator(`[data-notice="${name}"]`).waitFor();
}

export async function choose(page: Page, tokenKey: string): Promise<void> {
  await page.locator(`[data-way="${tokenKey}"] input`).check();
}

/** From the first card to a quote. */
export async function toQuote(page: Page, tokenKey: string): Promise<void> {
  await press(page, /^Connect /);
  await card(page, 'way');
  await choose(page, tokenKey);
  await press(page, /^Continue with/);
  await card(page, 'sign');
}

/** What the wallet was asked to sign and to send. */
export function asked(wallet: EvmWallet): string[] {
  return wallet.asked().filter((name) => /sign|send/i.test(name));
}

export function sessionId(page: Page): string {
  return /\/checkout\/([0-9a-f-]+)/.exec(page.url())?.[1] ?? '';
}

export async function paymentOf(ground: BrowserGround, page: Page): Promise<PaymentIntent> {
  const id = sessionId(page);
  return await ground.database.paymentIntent.findFirstOrThrow({ where: { checkoutSessions: { some: { id } } } });
}
