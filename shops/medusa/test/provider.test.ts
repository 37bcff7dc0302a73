/** The provider without the framework, over a real gateway: repeated, late and failing calls. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openRunningGateway } from '../../../test/setup/gateway/running-gateway.ts';
import { decimalAmount, refundUnits } from '../node_modules/@sluice/medusa/dist/amounts.js';
import { SluicePaymentProvider } from '../node_modules/@sluice/medusa/dist/index.js';

const gateway = await openRunningGateway();
const options = {
  baseUrl: gateway.url,
  apiKey: gateway.key,
  webhookSecret: 'whsec_c2VjcmV0',
  captureMode: 'MANUAL',
  finalityTimeoutSeconds: 30,
} as const;
const provider = new SluicePaymentProvider({}, options);

async function initiate(sessionId: string, amount: unknown = 10, currency_code = 'usd') {
  const context = { idempotency_key: sessionId };
  return await provider.initiatePayment({ amount: amount as number, currency_code, data: {}, context });
}

async function readIntent(id: unknown) {
  return (await gateway.rest('GET', `/payments/intents/${id}`)).body.data;
}

async function pay(data: Record<string, unknown> | undefined): Promise<void> {
  const [payer] = gateway.evm.payers;
  const prepared = await gateway.rest('POST', `/checkout-sessions/${data?.checkout_session_id}/prepare`, {
    clientSecret: String(data?.client_secret),
    body: {
      chainId: gateway.evm.chainId,
      tokenKey: `USDC-${gateway.evm.chainId}`,
      walletAddress: payer.address,
      method: 'DIRECT',
    },
  });
  await gateway.doSteps(payer, prepared.body.data.steps);
  await expect.poll(async () => (await readIntent(data?.id)).status, { timeout: 60_000 }).toBe('AUTHORIZED');
}

async function openCaptured(sessionId: string, amount = '10') {
  const { data } = await initiate(sessionId, amount);
  await pay(data);
  return (await provider.capturePayment({ data, context: { idempotency_key: `capt_${sessionId}` } })).data;
}

async function refundsOf(data: Record<string, unknown> | undefined): Promise<string[]> {
  const { transactions } = await readIntent(data?.id);
  return transactions
    .filter(({ type }: { type: string }) => type === 'REFUND')
    .map(({ amount }: { amount: string }) => amount);
}

it('opens one payment for one payment session, however often it is asked', async () => {
  const first = await initiate('payses_once');
  expect(await initiate('payses_once')).toEqual(first);
  expect(await readIntent(first.id)).toMatchObject({
    externalId: 'payses_once',
    amount: '10.00',
    captureMode: 'MANUAL',
  });
});

it('refuses currencies in which Sluice has no prices, and amounts of nothing', async () => {
  await expect(initiate('payses_gbp', 10, 'gbp')).rejects.toThrow('USD and EUR, not in GBP');
  await expect(initiate('payses_zero', 0)).rejects.toMatchObject({ type: 'invalid_data' });
});

it('replaces a payment when the amount changes, and makes a new one when it changes back', async () => {
  const first = await initiate('payses_update');
  const update = (data: Record<string, unknown> | undefined, amount: number) =>
    provider.updatePayment({ amount, currency_code: 'usd', data });
  const same = await update(first.data, 10);
  expect(same.data?.id).toBe(first.id);
  const second = await update(first.data, 12.5);
  const third = await update(second.data, 10);
  expect(new Set([first.id, second.data?.id, third.data?.id]).size).toBe(3);
  expect((await readIntent(first.id)).status).toBe('CANCELLED');
  expect((await readIntent(second.data?.id)).amount).toBe('12.50');
  expect(third).toMatchObject({ status: 'pending', data: { amount: '10.00', session_id: 'payses_update' } });
});

it('does not change or capture what it may not', async () => {
  const { data } = await initiate('payses_paid');
  await expect(provider.capturePayment({ data, context: { idempotency_key: 'capt_0' } })).rejects.toThrow('is CREATED');
  await pay(data);
  await expect(provider.updatePayment({ amount: 11, currency_code: 'usd', data })).rejects.toThrow('is paid');
  expect(await provider.authorizePayment({ data })).toMatchObject({ status: 'authorized' });
  await provider.cancelPayment({ data, context: { idempotency_key: 'pay_1' } });
  // The void is not final yet, and the payment is over all the same.
  expect(await provider.authorizePayment({ data })).toMatchObject({ status: 'canceled' });
  await provider.cancelPayment({ data, context: { idempotency_key: 'pay_1' } });
  await expect(provider.capturePayment({ data, context: { idempotency_key: 'capt_1' } })).rejects.toThrow('captured');
});

it('captures once, whoever asks', async () => {
  const captured = await openCaptured('payses_captured');
  expect(captured).toMatchObject({ status: 'CAPTURED' });
  await provider.capturePayment({ data: captured, context: { idempotency_key: 'capt_other' } });
  const { transactions } = await readIntent(captured?.id);
  expect(transactions.filter(({ type }: { type: string }) => type === 'CAPTURE')).toHaveLength(1);
  await expect(provider.cancelPayment({ data: captured, context: {} })).rejects.toMatchObject({ type: 'not_allowed' });
});

it('does not call a capture done before it is final, and joins it when it is asked again', async () => {
  const { data } = await initiate('payses_slow');
  await pay(data);
  const hasty = new SluicePaymentProvider({}, { ...options, finalityTimeoutSeconds: 1 });
  await gateway.evm.testClient.setAutomine(false);
  try {
    const first = hasty.capturePayment({ data, context: { idempotency_key: 'capt_slow' } });
    await expect(first).rejects.toThrow('not final yet');
  } finally {
    await gateway.evm.testClient.setAutomine(true);
    await gateway.evm.mine();
  }
  const second = await provider.capturePayment({ data, context: { idempotency_key: 'capt_again' } });
  expect(second.data).toMatchObject({ status: 'CAPTURED' });
});

it('makes one refund of one refund id', async () => {
  const data = await openCaptured('payses_refund', '9.99');
  const request = { data, amount: 3.333, context: { idempotency_key: 'ref_one' } };
  const first = await provider.refundPayment(request);
  // Medusa did not store the answer and asks again, with what it knew before.
  const again = await provider.refundPayment(request);
  expect(await refundsOf(data)).toEqual(['3330000']);
  expect(again.data?.refunded_units).toBe(first.data?.refunded_units);
});

it('recognizes a refund whose answer was lost, when it is tried again with another id', async () => {
  const data = await openCaptured('payses_lost');
  await provider.refundPayment({ data, amount: 4, context: { idempotency_key: 'ref_lost' } });
  // Medusa has deleted ref_lost, and knows nothing of it.
  const other = provider.refundPayment({ data, amount: 5, context: { idempotency_key: 'ref_other' } });
  await expect(other).rejects.toThrow('4000000');
  const retried = await provider.refundPayment({ data, amount: 4, context: { idempotency_key: 'ref_retried' } });
  expect(await refundsOf(data)).toEqual(['4000000']);
  await provider.refundPayment({ data: retried.data, amount: 4, context: { idempotency_key: 'ref_second' } });
  expect(await refundsOf(data)).toEqual(['4000000', '4000000']);
});

it('names every invalid option when the server starts', () => {
  expect(() => SluicePaymentProvider.validateOptions({ ...options })).not.toThrow();
  const wrong = { baseUrl: 'pay', apiKey: 'pk_test_1', webhookSecret: [], finalityTimeoutSeconds: 0 };
  expect(() => SluicePaymentProvider.validateOptions(wrong)).toThrow(/baseUrl.*apiKey.*webhookSecret.*finalityTimeout/);
});

it('rounds half up like the framework, and never refunds more than was paid', () => {
  expect([33.335, '0.005', { value: '1.004999', precision: 20 }, 12].map((one) => decimalAmount(one))).toEqual([
    '33.34',
    '0.01',
    '1.00',
    '12.00',
  ]);
  const minor = fc.integer({ min: 1, max: 99_999_999 });
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 27n), fc.array(minor, { minLength: 1, maxLength: 5 }), (paid, parts) => {
      const print = (units: number) => `${Math.floor(units / 100)}.${String(units % 100).padStart(2, '0')}`;
      const payment = { cryptoAmount: String(paid), amount: print(parts.reduce((sum, part) => sum + part, 0)) };
      const refunds = parts.map((part) => refundUnits(payment, print(part)));
      const total = refunds.reduce((sum, units) => sum + units, 0n);
      expect(total <= paid && paid - total < BigInt(parts.length)).toBe(true);
      expect(refundUnits(payment, payment.amount)).toBe(paid);
    }),
  );
});
