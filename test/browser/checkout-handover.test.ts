/** The hosted page without a wallet: the payment continues in the browser of a wallet app, or on a phone. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { walletApps } from '../../web/src/checkout/handover/wallet-apps.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { type EvmWallet, injectEvmWallet } from './setup/inject-evm-wallet.ts';
import { openPage } from './setup/open-page.ts';
import { CHAIN, card, makeLink, notice, paymentOf, press, sessionId, toQuote } from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** What a browser prints of a code that was refused. */
const refused = [/401 \(Unauthorized\)/, /400 \(Bad Request\)/];

const linkOf = async (page: Page, app: string): Promise<string> => {
  const link = page.locator(`[data-app="${app}"][href]`);
  await link.waitFor();
  return (await link.getAttribute('href')) ?? '';
};

/** What MetaMask opens; a wallet asks for https, which the local installation does not have. */
const metamaskOpens = (link: string) =>
  link.replace('https://link.metamask.io/dapp/', `${new URL(ground.origin).protocol}//`);

async function giveWallet(page: Page): Promise<EvmWallet> {
  const { privateKey } = await ground.newPayer();
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  return await injectEvmWallet(page, { privateKey, rpcUrls, chainId: CHAIN });
}

const hasOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('on a phone, the payment continues in a wallet app’s browser, and the first page shows the result', async () => {
  const { path } = await makeLink(shop, { successUrl: 'https://shop.example/thanks' });
  const phone = await openPage({ isPhone: true });
  await phone.page.goto(`${ground.origin}${path}`);
  await card(phone.page, 'wallet');
  await notice(phone.page, 'NO_WALLET');
  await phone.page.getByRole('heading', { name: 'Open in a wallet app' }).waitFor();
  for (const { name } of walletApps) await phone.page.getByRole('link', { name, exact: true }).waitFor();
  expect(await phone.page.locator('[data-code]').count()).toBe(0);
  const secret = new URL(phone.page.url()).hash.slice(1);
  expect(secret).toMatch(/^cs_/);
  const links = await Promise.all(walletApps.map(({ id }) => linkOf(phone.page, id)));
  for (const link of links) expect(link).not.toContain(secret);
  expect(await phone.axe()).toEqual([]);
  expect(await hasOverflow(phone.page)).toBe(false);
  await phone.pictures('handover-phone');

  const app = await openPage({ isPhone: true });
  await giveWallet(app.page);
  const seen: string[] = [];
  app.page.on('request', (request) => {
    seen.push(request.url(), request.headers().referer ?? '');
  });
  const opened = metamaskOpens(await linkOf(phone.page, 'metamask'));
  const code = /#code=([\w-]{43})$/.exec(opened)?.[1] ?? '';
  await app.page.goto(opened);
  await card(app.page, 'wallet');
  expect(app.page.url()).toBe(`${ground.origin}/checkout/${sessionId(phone.page)}`);
  // The code is in no address that anything was asked for, and the address of the page no longer has it.
  expect(seen.filter((address) => address.includes(code))).toEqual([]);
  expect(await app.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);

  await app.page.reload();
  await toQuote(app.page, `USDC-${CHAIN}`);
  await press(app.page, /^Sign to pay/);
  await card(app.page, 'receipt');
  await card(phone.page, 'receipt');
  await phone.page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  expect((await paymentOf(ground, phone.page)).authorizationMethod).toBe('PERMIT');

  // The same link again, in the browser of another wallet.
  const second = await openPage({ isPhone: true, expected: refused });
  await second.page.goto(opened);
  await second.page.locator('[data-handover="used"]').waitFor();
  await second.page.getByText('Please go back to your browser and try again.').waitFor();
  expect(new URL(second.page.url()).hash).toBe('');
  expect(await second.axe()).toEqual([]);
  await second.pictures('handover-used');
});

test('on a computer, a QR code opens the payment on a phone, where a plain transfer needs no wallet', async () => {
  const { path } = await makeLink(shop);
  const desk = await openPage();
  await desk.page.goto(`${ground.origin}${path}`);
  await card(desk.page, 'wallet');
  await desk.page.getByRole('heading', { name: 'Pay with a wallet on your phone' }).waitFor();
  const drawing = desk.page.locator('[data-code]');
  await drawing.waitFor();
  expect(await desk.page.locator('[data-app]').count()).toBe(0);
  await desk.page.getByRole('button', { name: 'Transfer from any wallet or exchange' }).waitFor();
  expect(await desk.axe()).toEqual([]);
  await desk.pictures('handover-desk');
  const scanned = (await drawing.getAttribute('data-code')) ?? '';
  expect(scanned).toMatch(new RegExp(`^${ground.origin}/checkout/${sessionId(desk.page)}#code=[\\w-]{43}$`));

  // The browser of the phone has no wallet either, and leads to one.
  const phone = await openPage({ isPhone: true });
  await phone.page.goto(scanned);
  const again = metamaskOpens(await linkOf(phone.page, 'metamask'));
  expect(again).not.toBe(scanned);
  const app = await openPage({ isPhone: true });
  await giveWallet(app.page);
  await app.page.goto(again);
  await toQuote(app.page, `USDC-${CHAIN}`);
  await press(app.page, /^Sign to pay/);
  for (const { page } of [app, phone, desk]) await card(page, 'receipt');
});

test('an expired code, a code of another session and a missing code open no session', async () => {
  const one = await openPage({ isPhone: true });
  await one.page.goto(`${ground.origin}${(await makeLink(shop)).path}`);
  const opened = metamaskOpens(await linkOf(one.page, 'metamask'));
  const other = await openPage({ isPhone: true });
  await other.page.goto(`${ground.origin}${(await makeLink(shop)).path}`);
  await card(other.page, 'wallet');
  const elsewhere = opened.replace(sessionId(one.page), sessionId(other.page));

  const app = await openPage({ isPhone: true, language: 'de', scheme: 'dark', expected: refused });
  for (const wrong of [elsewhere, opened.replace(/#code=.*/, '#code=short'), opened.replace(/#code=.*/, '#code=')]) {
    await app.page.goto('about:blank');
    await app.page.goto(wrong);
    await app.page.locator('[data-handover="used"]').waitFor();
  }
  await ground.database.checkoutCode.updateMany({
    where: { sessionId: sessionId(one.page) },
    data: { expiresAt: new Date(0) },
  });
  await app.page.goto('about:blank');
  await app.page.goto(opened);
  await app.page.getByRole('heading', { name: 'Dieser Link kann nicht mehr verwendet werden' }).waitFor();
  expect(await app.axe()).toEqual([]);
  await app.picture('handover-used-de');

  // Another link in the same tab changes only the fragment, and is exchanged without a reload.
  await one.page.reload();
  const fresh = metamaskOpens(await linkOf(one.page, 'metamask'));
  expect(fresh).not.toBe(opened);
  await app.page.evaluate((address) => location.assign(address), fresh);
  await card(app.page, 'wallet');
  expect(new URL(app.page.url()).hash).toBe('');
  await app.picture('handover-phone-de');
});

test('a code remains usable after a failed connection, and the next attempt succeeds', async () => {
  const phone = await openPage({ isPhone: true });
  await phone.page.goto(`${ground.origin}${(await makeLink(shop)).path}`);
  const opened = metamaskOpens(await linkOf(phone.page, 'metamask'));
  const app = await openPage({ isPhone: true, expected: [/Failed to load resource/] });
  await app.page.route('**/graphql', (route) => route.abort());
  await app.page.goto(opened);
  await app.page.locator('[data-handover="unreachable"]').waitFor();
  expect(await app.axe()).toEqual([]);
  await app.page.unroute('**/graphql');
  await press(app.page, /^Try again$/);
  await card(app.page, 'wallet');
});

test('the first page shows the current state and a new link to a returning payer', async () => {
  const { page } = await openPage({ isPhone: true });
  await page.goto(`${ground.origin}${(await makeLink(shop)).path}`);
  const before = await linkOf(page, 'trust');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.postData() ?? '');
  });
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect.poll(() => asked.some((body) => body.includes('query CheckoutPage'))).toBe(true);
  await expect.poll(() => linkOf(page, 'trust')).not.toBe(before);
});

test('the page reports that a link cannot be created, and retries', async () => {
  const { page, axe } = await openPage({
    isPhone: true,
    language: 'de',
    width: 320,
    expected: [/Failed to load resource/],
  });
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('CreateCode')) await route.abort();
    else await route.continue();
  });
  await page.goto(`${ground.origin}${(await makeLink(shop)).path}`);
  await page.getByText('Es konnte kein Link erstellt werden. Bitte versuchen Sie es erneut.').waitFor();
  expect(await page.locator('[data-app][href]').count()).toBe(0);
  expect(await axe()).toEqual([]);
  expect(await hasOverflow(page)).toBe(false);
  await page.unroute('**/graphql');
  await press(page, /^Erneut versuchen$|^Noch einmal versuchen$|versuchen$/);
  await linkOf(page, 'okx');
  expect(await hasOverflow(page)).toBe(false);
});
