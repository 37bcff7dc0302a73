/** After the test clock has moved, every timestamp of a business object is from the moved clock. */
import { expect, test } from 'vitest';
import { Prisma } from '../../prisma/client.ts';
import { rotateApiKey } from '../../src/auth/rotate-api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openRunningGateway } from '../setup/gateway/running-gateway.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';

const DAY = 86_400;
const gateway = await openRunningGateway({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
const receiver = await openReceiver();
const { database } = gateway;

/** Columns of business tables in real time: the time of a delivery or an end. */
const byRealTime = new Set([
  'webhook_endpoint.failing_since',
  'webhook_endpoint.lease_until',
  'webhook_endpoint.paused_until',
  'webhook_endpoint.previous_secret_expires_at',
  'webhook_delivery.first_tried_at',
  'webhook_delivery.next_retry_at',
  'api_key.expires_at',
]);

type Column = { table: string; column: string };

/** Every timestamp of a table whose rows use the gateway's clock. */
async function businessInstants(): Promise<Column[]> {
  const columns = await database.$queryRaw<Column[]>`
    SELECT other.table_name AS table, other.column_name AS column
    FROM information_schema.columns made JOIN information_schema.columns other USING (table_schema, table_name)
    WHERE made.column_default = 'gateway_now()' AND made.column_name IN ('created_at', 'invited_at')
      AND other.data_type = 'timestamp with time zone'
    ORDER BY 1, 2`;
  return columns.filter(({ table, column }) => !byRealTime.has(`${table}.${column}`));
}

async function countBetween({ table, column }: Column, from: Date, to: Date): Promise<number> {
  const [name, at] = [Prisma.raw(`"${table}"`), Prisma.raw(`"${column}"`)];
  const [row] = await database.$queryRaw<{ found: number }[]>`
    SELECT count(*)::int AS found FROM ${name} WHERE ${at} BETWEEN ${from} AND ${to}`;
  return row?.found ?? 0;
}

async function post(path: string, body: object, method = 'POST') {
  const answer = await gateway.rest(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

/** Creates, changes and ends one object of each kind. */
async function useEverything(): Promise<void> {
  const { appId } = gateway.scope;
  const intent = await post('/payments/intents', { amount: '5' });
  await post(`/payments/intents/${intent.id}/cancel`, {});
  const customer = await post('/customers', { appId, name: 'Ada', email: 'ada@example.com' });
  await post(`/customers/${customer.id}`, { name: 'Ada L.' }, 'PUT');
  const taxRate = await post('/tax-rates', { displayName: 'VAT', percentage: 19, inclusive: false });
  await post(`/tax-rates/${taxRate.id}`, { description: 'Of Germany' }, 'PUT');
  const prices = [{ amount: '5', billingInterval: 'MONTH' }];
  const plan = await post('/product-plans', { name: 'Tea', planType: 'SUBSCRIPTION', taxRateId: taxRate.id, prices });
  await post(`/product-plans/${plan.id}/prices`, { amount: '50', billingInterval: 'YEAR' });
  await post('/subscriptions', {
    appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  });
  const link = await post('/payment-links', {
    appId,
    name: 'Tea',
    slug: `tea-${newId()}`,
    amount: '5',
    currency: 'USD',
  });
  await post(`/payment-links/${link.id}`, { description: 'Green' }, 'PUT');
  const invoice = await post('/invoices', {
    customerAccountId: customer.id,
    items: [{ description: 'Tea', amount: '5' }],
  });
  await post(`/invoices/${invoice.id}/open`, {});
  await post(`/invoices/${invoice.id}/void`, {});
  const hooks = `/apps/${appId}/webhooks`;
  const hook = await post(hooks, { url: receiver.url, events: ['*'] });
  await post(`${hooks}/${hook.id}`, { active: true }, 'PUT');
  const session = await post('/checkout-sessions', { items: [{ name: 'Tea', amount: '1' }] });
  await post(`/checkout-sessions/${session.id}/expire`, {});
  const key = await database.apiKey.findFirstOrThrow();
  const rotation = { holder: { ...gateway.scope }, id: key.id, overlapSeconds: 3600 };
  await rotateApiKey({ database, clock: systemClock }, rotation);
}

test('every object created or changed after a move has the moved time, not before its own creation', async () => {
  await useEverything();
  await gateway.advance({ seconds: 200 * DAY });
  // Timestamps of real time would be written from here on.
  const realFrom = new Date();
  const later = gateway.clock.now();
  await useEverything();
  const delivered = () => database.webhookDelivery.count({ where: { deliveredAt: { gt: later } } });
  await expect.poll(delivered, { timeout: 30_000 }).toBeGreaterThan(0);
  const realTo = new Date();
  const instants = await businessInstants();
  const tables = new Set(instants.map(({ table }) => table));
  for (const table of ['payment_intent', 'subscription', 'invoice', 'tax_rate', 'event', 'webhook_delivery', 'api_key'])
    expect(tables).toContain(table);
  const offenders: string[] = [];
  for (const instant of instants) {
    const found = await countBetween(instant, realFrom, realTo);
    if (found > 0) offenders.push(`${instant.table}.${instant.column}: ${found}`);
  }
  expect(offenders).toEqual([]);
  for (const table of instants.filter(({ column }) => column === 'updated_at').map(({ table }) => table)) {
    const older =
      await database.$queryRaw`SELECT created_at, updated_at FROM ${Prisma.raw(`"${table}"`)} WHERE updated_at < created_at`;
    expect(older, table).toEqual([]);
  }
});

test('every table with the time of its last change uses the gateway’s clock', async () => {
  const untouched = await database.$queryRaw<{ table: string }[]>`
    SELECT table_name AS table FROM information_schema.columns
    WHERE column_name = 'updated_at' AND table_schema = 'public' AND column_default = 'gateway_now()'
      AND table_name NOT IN (SELECT event_object_table FROM information_schema.triggers WHERE trigger_name = 'touch_updated_at')`;
  expect(untouched).toEqual([]);
});

test('every GraphQL response includes the current time, so that an age can be computed', async () => {
  const body = JSON.stringify({ query: '{ testClock { now } }' });
  const headers = { 'content-type': 'application/json', 'x-api-key': gateway.key };
  const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
  const headerMs = Date.parse(answer.headers.get('sluice-time') ?? '');
  const { data } = await answer.json();
  expect(Math.abs(headerMs - Date.parse(data.testClock.now))).toBeLessThan(5_000);
  expect(headerMs).toBeGreaterThan(Date.now() + 100 * DAY * 1000);
});
