/** The checkout inside a merchant's page of another origin, in a real browser, paid by a wallet that signs for real. */
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { findAccessibilityFaults } from '../setup/find-accessibility-faults.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { injectEvmWallet } from '../setup/inject-evm-wallet.ts';
import { type OpenPage, openPage, type PageOptions } from '../setup/open-page.ts';
import { CHAIN } from '../setup/payer-visit.ts';
import { type Embedded, embed, eventsOf, messagesOf, openShopPages, ready } from './shop-page.ts';

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });
const PATIENCE = { timeout: 120_000 };

let ground: BrowserGround;
let shop: ShopGround;
let listed: string;
let unlisted: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
  [listed = '', unlisted = ''] = await openShopPages(ground.origin, 2);
  const response = await fetch(`${ground.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': shop.secretKey },
    body: JSON.stringify({
      query: 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { embedOrigins } }',
      variables: { input: { embedOrigins: [listed] } },
    }),
  });
  expect((await response.json()).data.updateApp.embedOrigins).toEqual([listed]);
}, 600_000);

async function makeSession(): Promise<Pick<Embedded, 'baseUrl' | 'sessionId' | 'clientSecret'>> {
  const { id, clientSecret } = await shop.call('POST', '/checkout-sessions', {
    appId: shop.appId,
    items: [{ name: 'Green tea', amount: '12.50' }],
    allowedChains: [CHAIN],
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/basket',
  });
  return { baseUrl: ground.origin, sessionId: id, clientSecret };
}

async function giveWallet(page: Page, name?: string) {
  const { privateKey } = await ground.newPayer();
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  return await injectEvmWallet(page, { privateKey, rpcUrls, chainId: CHAIN, name });
}

async function visitShop(
  origin: string,
  { hasWallet = true, ...options }: PageOptions & { hasWallet?: boolean } = {},
): Promise<OpenPage> {
  const opened = await openPage(options);
  if (hasWallet) await giveWallet(opened.page);
  await opened.page.goto(origin);
  return opened;
}

const axeInside = (page: Page) => findAccessibilityFaults(page, true);

const frameOf = (page: Page): FrameLocator => page.frameLocator('sluice-checkout iframe');

async function pay(at: Pick<FrameLocator, 'getByRole' | 'locator'>): Promise<void> {
  await at.getByRole('button', { name: /^Connect Test wallet$/ }).click();
  await at.getByRole('button', { name: /^Continue with 12\.50 USDC$/ }).click();
  await at.getByRole('button', { name: /^Sign to pay 12\.50 USDC$/ }).click();
  await at.locator('[data-card="receipt"]').waitFor(PATIENCE);
}

test('a listed page embeds the checkout inline with its theme and height, and it is paid in the frame', async () => {
  const session = await makeSession();
  const { page, pictures, axe } = await visitShop(listed);
  await embed(page, { ...session, theme: { scheme: 'dark', accent: '#0A7B5F', radius: 'large', font: 'serif' } });
  const frame = frameOf(page);
  await frame.locator('[data-card="wallet"]').waitFor();
  const look = await frame.locator(':root').evaluate((root) => {
    const style = getComputedStyle(root);
    return {
      theme: root.dataset.theme,
      radius: style.getPropertyValue('--radius'),
      font: getComputedStyle(document.body).fontFamily,
      accent: style.getPropertyValue('--accent'),
      hasScrollBar: root.scrollHeight > root.clientHeight,
    };
  });
  expect(look).toMatchObject({ theme: 'dark', radius: '18px', font: expect.stringContaining('Georgia') });
  expect(look.accent).toMatch(/^#[0-9a-f]{6}$/);
  await expect.poll(() => frame.locator(':root').evaluate((root) => root.scrollHeight - root.clientHeight)).toBe(0);
  await pictures('embed-inline');
  expect(await axe()).toEqual([]);
  expect(await axeInside(page)).toEqual([]);

  // Tokens change without a reload; what is not a token changes nothing.
  const theme = { scheme: 'light', accent: 'red; background: url(//x)', radius: '9px', font: 'Papyrus' };
  await page.evaluate(
    (given) => Object.assign(document.querySelector('sluice-checkout') ?? {}, { theme: given }),
    theme,
  );
  await expect.poll(() => frame.locator(':root').getAttribute('data-theme')).toBe('light');
  const sheet = await frame
    .locator(':root')
    .evaluate(() => [...(document.adoptedStyleSheets.at(-1)?.cssRules ?? [])].map((rule) => rule.cssText).join(''));
  expect(sheet).not.toMatch(/url|red|9px|Papyrus/);

  // The shop is around the frame: nothing leads to its pages inside.
  expect(await frame.locator('a[href^="https://shop.example"]').count()).toBe(0);
  await pay(frame);
  await expect.poll(() => eventsOf(page), PATIENCE).toHaveLength(1);
  const payment = await ground.database.paymentIntent.findFirstOrThrow({
    where: { checkoutSessions: { some: { id: session.sessionId } } },
  });
  expect(await eventsOf(page)).toEqual([
    { type: 'sluice:paid', sessionId: session.sessionId, outcome: 'paid', paymentIntentId: payment.id },
  ]);
  await pictures('embed-receipt');

  // The frame that is loaded again reports once more, and the element does not.
  const seen = (await messagesOf(page)).length;
  await frame.locator(':root').evaluate(() => location.reload());
  await expect
    .poll(
      async () => (await messagesOf(page)).slice(seen).some(({ data }) => Reflect.get(data ?? {}, 'type') === 'paid'),
      PATIENCE,
    )
    .toBe(true);
  expect(await eventsOf(page)).toHaveLength(1);

  // Messages come from the installation alone, and contain no secret.
  const messages = await messagesOf(page);
  expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set([ground.origin]));
  expect(JSON.stringify(messages)).not.toContain(session.clientSecret);
  expect(await page.content()).not.toContain(session.clientSecret);
});

test('a frame without a wallet opens a window for the payment, and shows the result', async () => {
  const session = await makeSession();
  const { page, context, picture } = await visitShop(listed, { hasWallet: false, width: 360 });
  await embed(page, session);
  const frame = frameOf(page);
  await frame.locator('[data-notice="NO_WALLET"]').waitFor();
  await picture('embed-no-wallet');
  expect(await axeInside(page)).toEqual([]);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('button', { name: 'Pay in a new window' }).click(),
  ]);
  await giveWallet(opened);
  await opened.waitForURL(`${ground.origin}/checkout/${session.sessionId}#${session.clientSecret}`);
  await opened.reload();
  expect(await opened.evaluate(() => window.opener)).toBeNull();
  await frame.getByText('Please continue in the new window.').waitFor();
  await picture('embed-window-opened');
  expect(await axeInside(page)).toEqual([]);
  expect(await frame.getByRole('link', { name: 'No window? Open it here' }).getAttribute('rel')).toBe('noopener');
  await pay(opened);
  await frame.locator('[data-card="receipt"]').waitFor(PATIENCE);
  await expect.poll(() => eventsOf(page)).toMatchObject([{ type: 'sluice:paid', outcome: 'paid' }]);
});

test('a dialog traps the focus, closes with Escape or its button, and restores the focus', async () => {
  const session = await makeSession();
  const { page, pictures, axe } = await visitShop(listed);
  await ready(page);
  await page.locator('#before').focus();
  await embed(page, { ...session, mode: 'modal', open: true });
  const dialog = page.getByRole('dialog', { name: 'Checkout' });
  await dialog.waitFor();
  const frame = frameOf(page);
  await frame.locator('[data-card="wallet"]').waitFor();
  await pictures('embed-modal');
  expect(await axe()).toEqual([]);
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.localName);
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab');
    expect(['before', 'after']).not.toContain(await focused());
  }
  // The browser moves the keyboard to a frame of another process a moment after the focus.
  await frame.getByRole('button', { name: /^Connect Test wallet$/ }).focus();
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape');
      return dialog.isVisible();
    })
    .toBe(false);
  expect(await focused()).toBe('before');
  const closed = { type: 'sluice:closed', sessionId: session.sessionId, isPaid: false };
  expect(await eventsOf(page)).toEqual([closed]);

  const show = () => page.evaluate(() => document.querySelector('sluice-checkout')?.setAttribute('open', ''));
  await show();
  await dialog.getByRole('button', { name: 'Close' }).press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await show();
  // The browser may still send the first click to the frame of the dialog that was just closed.
  await expect
    .poll(
      async () => {
        const close = dialog.getByRole('button', { name: 'Close' });
        if (await close.isVisible()) await close.click({ timeout: 2_000 }).catch(() => undefined);
        return dialog.isVisible();
      },
      { timeout: 20_000 },
    )
    .toBe(false);
  expect(await eventsOf(page)).toEqual([closed, closed, closed]);
  expect(await page.evaluate(() => document.documentElement.style.overflow)).toBe('');

  await show();
  await pay(frame);
  await expect.poll(async () => (await eventsOf(page)).at(-1)).toMatchObject({ type: 'sluice:paid' });
  await frame.getByRole('button', { name: 'Back to Corner shop' }).click();
  await expect.poll(async () => (await eventsOf(page)).at(-1)).toEqual({ ...closed, isPaid: true });
});

test('the React component opens a dialog in German, and calls back once', async () => {
  const session = await makeSession();
  const { page } = await visitShop(listed, { width: 360 });
  await embed(page, { ...session, mode: 'modal', locale: 'de' }, 'embedWithReact');
  const dialog = page.getByRole('dialog', { name: 'Bezahlen' });
  await frameOf(page).getByRole('button', { name: 'Test wallet verbinden' }).waitFor();
  expect(await page.locator('sluice-checkout').getAttribute('class')).toBe('pay');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await dialog.getByRole('button', { name: 'Schließen' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const calls = await page.evaluate(() => Reflect.get(globalThis, 'calls'));
  expect(calls).toEqual([['closed', { sessionId: session.sessionId, isPaid: false }]]);
});

test('the browser blocks the frame on an unlisted page, and a link remains', async () => {
  const session = await makeSession();
  const { page, picture } = await visitShop(unlisted, { expected: [/frame-ancestors/, /ERR_BLOCKED_BY/] });
  await embed(page, session);
  await page.getByRole('alert').waitFor();
  await picture('embed-refused');
  expect(await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href')).toBe(
    `${ground.origin}/checkout/${session.sessionId}#${session.clientSecret}`,
  );
  expect(await eventsOf(page)).toEqual([
    { type: 'sluice:failed', sessionId: session.sessionId, code: 'UNREACHABLE', isFinal: false },
  ]);
  expect(await messagesOf(page)).toEqual([]);
});

test('a wrong secret and an expired session are reported as errors', async () => {
  const [wrong, expired] = [await makeSession(), await makeSession()];
  await shop.call('POST', `/checkout-sessions/${expired.sessionId}/expire`);
  const { page } = await visitShop(listed, { expected: [/404|401|403/] });
  await embed(page, { ...wrong, clientSecret: 'cs_wrong' });
  await expect
    .poll(() => eventsOf(page), PATIENCE)
    .toEqual([{ type: 'sluice:failed', sessionId: wrong.sessionId, code: 'NOT_FOUND', isFinal: true }]);
  await embed(page, expired);
  await expect
    .poll(async () => (await eventsOf(page)).at(-1), PATIENCE)
    .toEqual({ type: 'sluice:failed', sessionId: expired.sessionId, code: 'EXPIRED', isFinal: false });
});

test('a listed page that declares another origin receives no content and no messages', async () => {
  const session = await makeSession();
  const { page } = await visitShop(listed);
  await ready(page);
  await page.evaluate(({ baseUrl, sessionId, clientSecret }) => {
    const frame = document.createElement('iframe');
    frame.src = `${baseUrl}/embed/checkout/${sessionId}?parent=https://evil.example#${clientSecret}`;
    document.body.append(frame);
  }, session);
  await page.frameLocator('body > iframe').getByText('Payment page not found').waitFor();
  expect(await messagesOf(page)).toEqual([]);
});

test('the embed page works as the ordinary page outside a frame', async () => {
  const session = await makeSession();
  const { page } = await openPage();
  await page.goto(`${ground.origin}/embed/checkout/${session.sessionId}?parent=${listed}#${session.clientSecret}`);
  await page.waitForURL(`${ground.origin}/checkout/${session.sessionId}#${session.clientSecret}`);
  await page.locator('[data-card="wallet"]').waitFor();
});
