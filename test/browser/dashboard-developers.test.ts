/** The developers' corner and the operators' page in a real browser. */
import { beforeAll, expect, test } from 'vitest';
import { nameOperator } from '../../src/auth/members/name-operator.ts';
import { openReceiver } from '../setup/receiver.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
const receiver = await openReceiver();
let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tool shop');
});

const callWith = async (key: string) =>
  (await fetch(`${ground.origin}/payments/intents`, { headers: { 'x-api-key': key } })).status;

test('a key is shown once, works, is replaced and is ended', async () => {
  const seen = await openPage();
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers' });
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByLabel('Name').fill('Till 4');
  await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  expect(await callWith(secret)).toBe(200);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  expect(await page.content()).not.toContain(secret);
  const row = page.getByRole('row').filter({ hasText: 'Till 4' }).first();
  await row.getByText('Active').waitFor();
  await inspect(seen, 'developers-keys');

  await row.getByRole('button', { name: 'Replace' }).click();
  await page.getByLabel('The old key still works for').selectOption({ label: 'No time: it ends at once' });
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  const successor = (await page.locator('[data-secret]').textContent()) ?? '';
  expect([await callWith(successor), await callWith(secret)]).toEqual([200, 401]);
  await page.getByRole('button', { name: 'I have stored it' }).click();

  const active = page.getByRole('row').filter({ hasText: successor.slice(0, 12) });
  await active.getByRole('button', { name: 'End' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await active.getByText('Ended').waitFor();
  expect(await callWith(successor)).toBe(401);
});

test('an endpoint is refused at its field, told, looked into, and told again; events are found by their request', async () => {
  const seen = await openPage({ expected: [/400/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers?tab=webhooks' });
  await page.getByRole('heading', { name: 'Nobody is told yet' }).waitFor();
  await page.getByRole('button', { name: 'Make an endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://nowhere');
  await dialog.getByRole('button', { name: 'Make an endpoint' }).click();
  await dialog.getByRole('alert').first().waitFor();
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Make an endpoint' }).click();
  await expect.poll(() => page.locator('[data-secret]').textContent(), PATIENCE).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: `Open ${receiver.url}` }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Your server answered', { exact: true }).waitFor();

  const requestId = `search-${crypto.randomUUID()}`;
  const made = await fetch(`${ground.origin}/payments/intents`, {
    method: 'POST',
    headers: { 'x-api-key': shop.secretKey, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ amount: '3.00' }),
  });
  expect(made.ok).toBe(true);
  const delivery = page.getByRole('row').filter({ hasText: 'payment_intent.created' });
  await delivery.getByText('Delivered').waitFor(PATIENCE);
  await inspect(seen, 'developers-deliveries');
  await delivery.getByRole('button').click();
  await page.getByRole('heading', { name: 'Payload' }).waitFor();
  const before = receiver.received.length;
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(before);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();

  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByLabel('Request id').fill(requestId);
  await page.getByLabel('Request id').press('Enter');
  await page.waitForURL(/request=search-/);
  await expect
    .poll(() => page.getByRole('row').filter({ hasText: 'payment_intent.created' }).count(), PATIENCE)
    .toBe(1);
  await page.reload();
  await page.getByRole('row').filter({ hasText: 'payment_intent.created' }).waitFor();
  await inspect(seen, 'developers-events');
});

test('the GraphQL editor asks as the member, and the test clock says what it can', async () => {
  const { page, picture } = await openPage();
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers?tab=graphql' });
  // The editor draws itself before it listens: a press that comes too early does nothing.
  const answer = async () => {
    await page.locator('.graphiql-execute-button').click();
    await page.getByText('"nodes"').waitFor({ timeout: 5_000 });
  };
  await expect.poll(() => answer().then(() => 'told', String), PATIENCE).toBe('told');
  await picture('developers-graphql');
  await page.getByRole('tab', { name: 'Test clock' }).click();
  await page
    .getByText(/The real time|ahead of the real time|cannot be moved here/)
    .first()
    .waitFor();
});

test('operators see the installation and pause a chain; whoever was not named sees neither page nor figures', async () => {
  const seen = await openPage({ expected: [/403/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/operations' });
  await page.getByText('This is for operators of the installation').waitFor();
  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  const { merchantId, ownerEmail: email } = shop;
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: true });
  await page.reload();
  await page.getByRole('link', { name: 'Operations' }).waitFor();
  // The last one: other files pay on the first meanwhile.
  const chain = ground.demo.chains.at(-1);
  const row = page
    .getByRole('row')
    .filter({ hasText: String(chain?.chainId) })
    .first();
  await row.getByText('Current').waitFor();
  await page.getByRole('heading', { name: 'Books' }).waitFor();
  await inspect(seen, 'operations');
  try {
    await row.getByRole('button', { name: /^Pause/ }).click();
    await row.getByText('Paused').waitFor();
    const cursor = await ground.database.chainCursor.findUnique({ where: { chainId: chain?.chainId ?? 0 } });
    expect(cursor?.pausedAt).not.toBeNull();
    await row.getByRole('button', { name: /^Resume/ }).click();
    await row.getByText('Current').waitFor();
  } finally {
    await ground.database.chainCursor.updateMany({ data: { pausedAt: null } });
    await nameOperator({ database: ground.database }, { merchantId, email, isOperator: false });
  }
});
