/** The GraphQL editor that a browser finds at /graphql, with a key of its user. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';

const PATIENCE = { timeout: 90_000 };
// Each test is a whole flow; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Editor shop');
});

/** Opens the editor, and gives the addresses of all that its page asks for, websockets included. */
async function openEditor(page: Page): Promise<string[]> {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('websocket', (socket) => asked.push(socket.url()));
  const response = await page.goto(`${ground.origin}/graphql`);
  expect(response?.status()).toBe(200);
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
  expect(response?.headers()['cache-control']).toBe('no-store');
  await page.locator('.graphiql-execute-button').waitFor();
  return asked;
}

const editors = {
  query: '.graphiql-query-editor .CodeMirror',
  headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror',
  answer: '.result-window .CodeMirror-code',
};

async function write(page: Page, editor: 'query' | 'headers', text: string): Promise<void> {
  await page.locator(editors[editor]).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const answer = (page: Page) => page.locator(editors.answer).textContent();

/** Presses until the answer has these words: the editor draws itself before it listens. */
async function run(page: Page, words: string): Promise<void> {
  const pressed = async () => {
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => answer(page), { timeout: 5_000 }).toContain(words);
  };
  await expect.poll(() => pressed().then(() => 'answered', String), PATIENCE).toBe('answered');
}

/** Of the origin, in any of the places where a page can keep something for longer than it is open. */
const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

test('runs a query and a subscription with a key, which it does not store, and calls no other host', async () => {
  const { id } = await shop.call('POST', '/payments/intents', { amount: '12.50' });
  const { page, picture } = await openPage();
  const asked = await openEditor(page);
  await page.getByText('It is kept in the memory of this tab only').waitFor();
  await write(page, 'headers', JSON.stringify({ 'X-Api-Key': shop.secretKey }));

  await write(page, 'query', '{ paymentIntents(first: 5) { nodes { id status amount } } }');
  await run(page, `"${id}"`);
  expect(await answer(page)).toContain('"12.50"');
  await picture('graphiql-query');

  await write(page, 'query', `subscription { paymentIntentUpdated(id: "${id}") { id status } }`);
  await run(page, '"CREATED"');
  await shop.call('POST', `/payments/intents/${id}/cancel`);
  await expect.poll(() => answer(page), PATIENCE).toContain('"CANCELLED"');
  await picture('graphiql-subscription');
  expect(asked.some((url) => url.startsWith('ws'))).toBe(true);
  // The same button stops it.
  await page.locator('.graphiql-execute-button').click();

  expect(asked.filter((url) => new URL(url).host !== new URL(ground.origin).host)).toEqual([]);
  // The text comes back after a reload, the key does not.
  await expect.poll(() => stored(page), PATIENCE).toContain('paymentIntentUpdated');
  expect(await stored(page)).not.toContain(shop.secretKey);
  await page.reload();
  await expect.poll(() => page.locator(editors.query).textContent(), PATIENCE).toContain('paymentIntentUpdated');
  expect(await page.content()).not.toContain(shop.secretKey);
});

test('runs its first example without a key, and shows the schema', async () => {
  const { page } = await openPage();
  await openEditor(page);
  // Of several operations the button offers a menu.
  const choose = async () => {
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'WhoAmI' }).click({ timeout: 5_000 });
    await expect.poll(() => answer(page), { timeout: 5_000 }).toContain('"anonymous"');
  };
  await expect.poll(() => choose().then(() => 'answered', String), PATIENCE).toBe('answered');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Subscription', { exact: true }).waitFor();
  // Its dialogues and its other panel, none of which the page's policy may refuse.
  await page.getByRole('button', { name: 'Show History' }).click();
  await page.locator('.graphiql-history').getByText('WhoAmI').waitFor();
  for (const name of ['Open short keys dialog', 'Open settings dialog']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('reports a rejected key for a query and for a subscription', async () => {
  const { page } = await openPage({ expected: [/401/] });
  await openEditor(page);
  await write(page, 'headers', JSON.stringify({ 'x-api-key': 'sk_test_wrong' }));
  await write(page, 'query', '{ viewer { kind } }');
  await run(page, '"AUTHENTICATION_ERROR"');
  await write(page, 'query', 'subscription { paymentIntentsUpdated { id } }');
  await run(page, 'The connection was closed: 4401');
});

test.each(['light', 'dark'] as const)('is shown in the %s theme of the system', async (scheme) => {
  const { page, picture } = await openPage({ scheme });
  await openEditor(page);
  await page.getByText('WhoAmI').first().waitFor();
  await picture('graphiql');
  const light = await page.evaluate(() => {
    const [red = 0] =
      /\d+/.exec(getComputedStyle(document.querySelector('.graphiql-container') ?? document.body).backgroundColor) ??
      [];
    return Number(red) > 128;
  });
  expect(light).toBe(scheme === 'light');
});
