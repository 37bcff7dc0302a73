/** The developers' corner and the operators' page in a real browser. */
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { nameOperator } from '../../src/auth/members/name-operator.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
// Each test is a whole flow; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000 });

const receiver = await openReceiver();
let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tool shop');
});

const callWith = async (key: string) =>
  (await fetch(`${ground.origin}/payments/intents`, { headers: { 'x-api-key': key } })).status;

test('a key is shown once, works, is rotated and is revoked', async () => {
  const seen = await openPage();
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers' });
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill('Till 4');
  await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(secret);
  const row = page.getByRole('row').filter({ hasText: 'Till 4' }).first();
  await row.getByText('Active').waitFor();
  await row.getByRole('cell', { name: 'Never' }).waitFor();
  expect(await callWith(secret)).toBe(200);
  const key = { appId: shop.appId, name: 'Till 4' };
  const used = async () => (await ground.database.apiKey.findFirst({ where: key }))?.lastUsedAt?.toISOString();
  await expect.poll(used, PATIENCE).toBeDefined();
  await page.reload();
  await row.locator(`time[datetime="${await used()}"]`).waitFor();
  expect(await row.getByText('Never').count()).toBe(0);
  await inspect(seen, 'developers-keys');

  await row.getByRole('button', { name: 'Rotate' }).click();
  await page.getByLabel('Old key expires').selectOption({ label: 'Immediately' });
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const successor = (await page.locator('[data-secret]').textContent()) ?? '';
  expect([await callWith(successor), await callWith(secret)]).toEqual([200, 401]);
  await page.getByRole('button', { name: 'Done' }).click();

  const active = page.getByRole('row').filter({ hasText: successor.slice(0, 12) });
  await active.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await active.getByText('Expired').waitFor();
  expect(await callWith(successor)).toBe(401);
});

test('an endpoint is validated, tested and redelivered to, and events are found by their request', async () => {
  const seen = await openPage({ expected: [/400/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers?tab=webhooks' });
  await page.getByRole('heading', { name: 'No webhook endpoints yet' }).waitFor();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Endpoint URL').fill('ftp://nowhere');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByRole('alert').first().waitFor();
  await dialog.getByLabel('Endpoint URL').fill(receiver.url);
  await dialog.getByLabel('Ordered delivery').check();
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await expect.poll(() => page.locator('[data-secret]').textContent(), PATIENCE).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: `View ${receiver.url}` }).click();
  await page.getByText('All events, ordered delivery').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText('Test event delivered', { exact: true }).waitFor();

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
  await page.getByRole('button', { name: 'Resend' }).click();
  await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(before);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();

  await page.getByRole('tab', { name: 'Events' }).click();
  // One number more with each event of the app, none left out, the newest first.
  const numbers = page.getByRole('table', { name: 'Event log' }).locator('tbody td:first-child');
  const count = await ground.database.event.count({ where: { appId: shop.appId } });
  expect(count).toBeGreaterThan(0);
  const sequence = Array.from({ length: count }, (_, index) => String(count - index));
  await expect.poll(() => numbers.allTextContents(), PATIENCE).toEqual(sequence);
  await page.getByLabel('Request ID').fill(requestId);
  await page.getByLabel('Request ID').press('Enter');
  await page.waitForURL(/request=search-/);
  await expect
    .poll(() => page.getByRole('row').filter({ hasText: 'payment_intent.created' }).count(), PATIENCE)
    .toBe(1);
  await page.reload();
  await page.getByRole('row').filter({ hasText: 'payment_intent.created' }).waitFor();
  await inspect(seen, 'developers-events');
});

test('the GraphQL editor queries as the member, and the page of the test clock shows its functions', async () => {
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
    .getByText(/Current time|ahead of the current time|cannot be advanced/)
    .first()
    .waitFor();
});

test('the GraphQL editor rejects what a viewer may not do', async () => {
  const email = `viewer-${newId()}@example.com`;
  const world = { database: ground.database, clock: systemClock };
  await inviteMember(world, { merchantId: shop.merchantId, email, role: 'VIEWER' });
  const { id } = await shop.call('POST', '/payments/intents', { amount: '2.00' });
  const { page } = await openPage({ expected: [/403/] });
  await visitDashboard(ground, page, { email, path: '/developers?tab=graphql' });
  // The editor draws itself before it listens.
  const answer = async () => {
    await page.locator('.graphiql-query-editor').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(`mutation { cancelPaymentIntent(id: "${id}") { status } }`);
    await page.locator('.graphiql-execute-button').click();
    await page.getByText('"AUTHORIZATION_ERROR"').waitFor({ timeout: 5_000 });
  };
  await expect.poll(() => answer().then(() => 'refused', String), PATIENCE).toBe('refused');
  expect((await shop.call('GET', `/payments/intents/${id}`)).status).toBe('CREATED');
});

test('operators see the installation and pause a chain, and others see neither the pages nor the figures', async () => {
  const seen = await openPage({ expected: [/403/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/operations' });
  await page.getByText('You do not have access to this page').waitFor();
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
  await row.getByText('Up to date').waitFor();
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  try {
    await seeTrouble(page, chain?.chainId ?? 0);
    await inspect(seen, 'operations');
    // At this width, tables scroll within panels that have the same name.
    await page.setViewportSize({ width: 760, height: 900 });
    await page.getByRole('group', { name: 'Delayed items' }).waitFor();
    expect(await seen.axe()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await seeDelayWithoutFaults(page);
    const pausedAt = async () =>
      (await ground.database.chainCursor.findUnique({ where: { chainId: chain?.chainId ?? 0 } }))?.pausedAt;
    const dialog = page.getByRole('dialog');
    await row.getByRole('button', { name: /^Pause/ }).click();
    await dialog.getByText(/^All merchants stop accepting new payments on this network\./).waitFor();
    await inspect(seen, 'operations-pause');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await pausedAt()).toBeNull();
    await row.getByRole('button', { name: /^Pause/ }).click();
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    expect(await pausedAt()).not.toBeNull();
    await row.getByRole('button', { name: /^Resume/ }).click();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('Up to date').waitFor();
  } finally {
    await ground.database.chainCursor.updateMany({ data: { pausedAt: null } });
    await nameOperator({ database: ground.database }, { merchantId, email, isOperator: false });
    await ground.database.outgoingTransaction.deleteMany({ where: { sender: poor } });
    await ground.database.operatorNonce.deleteMany({ where: { address: poor } });
  }
});

/** The summary does not report that all is well while something is delayed. Other files may cause faults, so these are removed from the response. */
async function seeDelayWithoutFaults(page: Page): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    if (json.data?.installation) json.data.installation.faults = [];
    await route.fulfill({ response, json });
  });
  await page.getByText(/^\d+ delayed items?$/).waitFor();
  expect(await page.getByText('All systems operational').count()).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

/** A key that has sent, by our books, and has nothing left; nobody pumps for it. */
const poor = privateKeyToAddress(generatePrivateKey()).toLowerCase();

/** What such a key was to send an hour ago is on its way, and stuck; the key is low; both stand in the page, with a summary. */
async function seeTrouble(page: Page, chainId: number): Promise<void> {
  const purpose = `refund of ${newId()}`;
  const id = newId();
  const createdAt = new Date(Date.now() - 3_600_000);
  const notBefore = new Date(Date.now() + 86_400_000);
  const { outgoingTransaction, operatorNonce } = ground.database;
  await operatorNonce.create({ data: { chainId, address: poor, nextNonce: 1n } });
  await outgoingTransaction.create({
    data: { id, chainId, sender: poor, toAddress: poor, data: '0x', purpose, error: 'no gas', createdAt, notBefore },
  });
  const gone = { ...{ chainId, sender: poor, toAddress: poor, data: '0x' }, id: newId(), status: 'FAILED' } as const;
  await outgoingTransaction.create({ data: { ...gone, purpose: `${purpose}, given up`, error: 'reverted' } });
  const rowsOf = (table: string) => page.getByRole('table', { name: table }).getByRole('row');
  const outgoing = rowsOf('Outgoing transactions').filter({ hasText: purpose });
  await outgoing.getByText('no gas').waitFor(PATIENCE);
  await outgoing.getByText('Queued', { exact: true }).waitFor();
  const stuck = rowsOf('Delayed items').filter({ hasText: id });
  await stuck.getByText('Transaction', { exact: true }).waitFor();
  await stuck.getByText('Queued', { exact: true }).waitFor();
  await stuck.getByText(`npm run ops -- transaction abandon --id ${id}`).waitFor();
  const alarm = rowsOf('Last alarms').filter({ hasText: 'SluiceTransactionsFailed' });
  const cause = alarm.getByText(`${purpose}, given up`);
  await cause.waitFor();
  expect(await cause.getAttribute('lang')).toBe('en');
  await alarm
    .filter({ hasText: `${purpose}, given up` })
    .getByText('Transaction failed')
    .waitFor();
  const key = rowsOf('Transaction wallets').filter({ has: page.getByTitle(new RegExp(`^${poor}$`, 'i')) });
  await key.getByText('Low', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Days left' }).waitFor();
  await page.getByText('Oldest due job (seconds)').waitFor();
  await page.getByText(new RegExp(`^Key ${poor} has 0 left for gas on chain ${chainId}`, 'i')).waitFor();
}
