/** A payer on the hosted page: a payment link, a wallet in the page, and the buttons that payers press. */
import type { Locator, Page } from 'playwright-core';
import type { PaymentIntent } from '../../../prisma/client.ts';
import type { LocalAccount } from '../../../src/local/local-accounts.ts';
import { onTeardown } from '../../setup/teardown.ts';
import type { BrowserGround, ShopGround } from './ground.ts';
import { type EvmWallet, injectEvmWallet } from './inject-evm-wallet.ts';
import { type OpenPage, openPage, type PageOptions } from './open-page.ts';
import type { BatchMode } from './wallet-batches.ts';

export const CHAIN = 31337;
export const OTHER_CHAIN = 31338;
/** A payment depends on worker, chain and indexer, on a machine that is busy with other tests. */
const PATIENCE_MS = 120_000;

export type Visit = OpenPage & {
  wallet: EvmWallet;
  /** The origin and path of every request that the page has made so far, over HTTP and websockets. */
  asks: string[];
};

/** One funded payer per test file, because reusing it is faster than funding another. A file that follows in the same process gets its own. */
let rich: Promise<LocalAccount> | undefined;

export async function visit(
  ground: BrowserGround,
  path: string,
  options: PageOptions & { isPoor?: boolean; chainId?: number; isSlow?: boolean; batches?: BatchMode } = {},
): Promise<Visit> {
  const { isPoor = false, chainId = CHAIN, isSlow = false, batches, ...page } = options;
  const opened = await openPage(page);
  const asks = collectAsks(opened.page);
  if (isSlow) await slowDown(opened);
  // A delegated account cannot be reused as a payer, because it keeps its code.
  if (!isPoor && !batches && !rich) {
    rich = ground.newPayer();
    onTeardown(async () => {
      rich = undefined;
    });
  }
  const { privateKey } = await (isPoor || batches || !rich ? ground.newPayer({ isPoor }) : rich);
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(opened.page, {
    privateKey,
    rpcUrls,
    chainId,
    ...(batches ? { batches } : {}),
  });
  await opened.page.goto(`${ground.origin}${path}`);
  return { ...opened, wallet, asks };
}

function collectAsks(page: Page): string[] {
  const asks: string[] = [];
  const keep = (url: string) => {
    const { protocol, origin, pathname } = new URL(url);
    if (/^(https?|wss?):$/.test(protocol)) asks.push(`${origin}${pathname}`);
  };
  page.on('request', (request) => keep(request.url()));
  page.on('websocket', (socket) => keep(socket.url()));
  return asks;
}

/** Throttles the network as for a phone with a weak signal: a round-trip time of 400 ms, 400 kbit/s up, 1.6 Mbit/s down. */
async function slowDown({ context, page }: OpenPage): Promise<void> {
  const tools = await context.newCDPSession(page);
  await tools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    uploadThroughput: 50_000,
    downloadThroughput: 200_000,
  });
}

/** Records the page's cards and its announcements to screen readers from its next load on, each change once. */
export async function watch(page: Page): Promise<{ cards(): Promise<string[]>; announced(): Promise<string[]> }> {
  await page.addInitScript(() => {
    const kept: Record<'cards' | 'announced', string[]> = { cards: [], announced: [] };
    Reflect.set(window, 'watched', kept);
    const keep = (list: string[], text: string | null | undefined) => {
      if (text && list.at(-1) !== text) list.push(text);
    };
    const look = () => {
      keep(kept.cards, document.querySelector('[data-card]')?.getAttribute('data-card'));
      keep(kept.announced, document.querySelector('.visually-hidden[role="status"]')?.textContent);
    };
    new MutationObserver(look).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  const read = (list: 'cards' | 'announced') =>
    page.evaluate((name): string[] => Reflect.get(Reflect.get(window, 'watched'), name), list);
  return { cards: () => read('cards'), announced: () => read('announced') };
}

/** Presses Tab until the element has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, place: Locator): Promise<void> {
  await place.waitFor();
  for (let presses = 0; presses < 40; presses++) {
    if (await place.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${place}.`);
}

/** Creates a payment link for 12.50 USD on the first chain, unless `fields` specify otherwise. Returns its path. */
export async function makeLink(shop: ShopGround, fields: object = {}): Promise<{ id: string; path: string }> {
  const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
  const body = { appId: shop.appId, name: 'Green tea', slug, allowedChains: [CHAIN], amount: '12.50', ...fields };
  const link = await shop.call('POST', '/payment-links', body);
  return { id: link.id, path: `/link/${slug}` };
}

export async function press(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
}

/** Waits for a card: wallet, way, sign, unsure, progress, receipt, expired or over. */
export async function card(page: Page, name: string): Promise<void> {
  await page.locator(`[data-card="${name}"]`).waitFor({ timeout: PATIENCE_MS });
}

export async function notice(page: Page, name: string): Promise<void> {
  await page.locator(`[data-notice="${name}"]`).waitFor();
}

export async function choose(page: Page, tokenKey: string): Promise<void> {
  await page.locator(`[data-way="${tokenKey}"] input`).check();
}

/** Proceeds from the first card to a quote. */
export async function toQuote(page: Page, tokenKey: string): Promise<void> {
  await press(page, /^Connect /);
  await card(page, 'way');
  await choose(page, tokenKey);
  await press(page, /^Continue with/);
  await card(page, 'sign');
}

/** The requests to sign and to send that the wallet received. */
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
