import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import { createApp } from '../../src/auth/create-app.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { createPaymentIntent } from '../../src/payments/create-payment-intent.ts';
import { newPaymentIntentSchema } from '../../src/payments/new-payment-intent.ts';
import { paymentIntentFields } from '../../src/payments/payment-intent-fields.ts';
import { idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';

let database: Database;
let scope: { merchantId: string; appId: string };
const now = new Date('2030-01-01T00:00:00.000Z');
const clock = { now: () => now };

beforeAll(async () => {
  ({ database } = await freshDatabase());
  const merchant = await createMerchant({ database }, { name: 'M' });
  const app = await createApp({ database }, { merchantId: merchant.id, name: 'A', mode: 'TEST' });
  await database.app.update({ where: { id: app.id }, data: { intentExpiry: 120, captureMode: 'MANUAL' } });
  scope = { merchantId: merchant.id, appId: app.id };
});

function keyed(key: string, parameters: unknown) {
  return idempotencyRequest({
    scopeId: scope.appId,
    operation: 'createPaymentIntent',
    parameters,
    sealedUnder: openSecretKeys({}).answers,
    bodyKey: key,
  });
}

describe('createPaymentIntent', () => {
  test('takes over the app’s settings and the clock', async () => {
    const intent = await createPaymentIntent({ database, clock }, { scope, fields: { amount: '10.5' } });
    expect(paymentIntentFields(intent)).toMatchObject({
      amount: '10.50',
      currency: 'USD',
      captureMode: 'MANUAL',
      status: 'CREATED',
      createdAt: '2030-01-01T00:00:00.000Z',
      expiresAt: '2030-01-01T00:02:00.000Z',
    });
  });

  test('keeps where it comes from', async () => {
    const source = { type: 'INVOICE' as const, id: newId() };
    const intent = await createPaymentIntent({ database, clock }, { scope, fields: { amount: '1' }, source });
    expect(paymentIntentFields(intent)).toMatchObject({ sourceType: 'INVOICE', sourceId: source.id });
  });

  test('an app of another merchant is not found, and nothing is written', async () => {
    const before = await database.paymentIntent.count();
    await expect(
      createPaymentIntent({ database, clock }, { scope: { ...scope, merchantId: newId() }, fields: { amount: '1' } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await database.paymentIntent.count()).toBe(before);
  });

  test('a failed call leaves its idempotency key free', async () => {
    const fields = { amount: '1', customerAccountId: newId(), idempotencyKey: 'again' };
    const call = () => createPaymentIntent({ database, clock }, { scope, fields, idempotency: keyed('again', fields) });
    await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND', param: 'customerAccountId' });
    await database.customerAccount.create({ data: { id: fields.customerAccountId, appId: scope.appId } });
    const made = await call();
    const replayed = await call();
    expect(paymentIntentFields(replayed)).toEqual(paymentIntentFields(made));
    expect(await database.event.count({ where: { resourceId: made.id } })).toBe(1);
  });
});

describe('the limits of a new intent', () => {
  const accepts = (fields: object) => newPaymentIntentSchema.safeParse({ amount: '1', ...fields }).success;

  test.each([
    ['amount', '999999999999.99', true],
    ['amount', '0.01', true],
    ['amount', '0.00', false],
    ['amount', '1.', false],
    ['amount', ' 1', false],
    ['amount', '+1', false],
    ['amount', '1000000000000', false],
    ['currency', 'EUR', true],
    ['currency', 'usd', false],
    ['currency', 'GBP', false],
    ['externalId', 'x'.repeat(255), true],
    ['externalId', 'x'.repeat(256), false],
    ['externalId', null, true],
    ['idempotencyKey', 'x'.repeat(255), true],
    ['idempotencyKey', 'x'.repeat(256), false],
    ['metadata', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 1])), true],
    ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1])), false],
    ['metadata', { text: 'x'.repeat(16 * 1024) }, false],
  ])('%s %j: %s', (name, value, good) => {
    expect(accepts({ [name]: value })).toBe(good);
  });
});
