/** One charge of a consent that was signed once, on the real contract, and folded like any other payment. */
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PaymentIntent, type SubscriptionConsent, transaction } from '../../prisma/client.ts';
import { consentHash, consentToJson, consentTypedData, type RecurringConsent } from '../../src/escrow/consent.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { uuidToBytes32 } from '../../src/escrow/terms.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { newId } from '../../src/platform/identifier.ts';
import { fixedPrices } from '../../src/prices/sources/fixed-prices.ts';
import { consentPeriodIndex, consentPeriodStart } from '../../src/subscriptions/charge/consent-period.ts';
import { type ChargeWorld, placeOf, quoteCharge, signCharge } from '../../src/subscriptions/charge/prepare-charge.ts';
import { queueCharges } from '../../src/subscriptions/charge/queue-charge.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';

const MINUTE = 60;
const DAY = 86_400;

let gateway: Gateway;
let world: ChargeWorld;
beforeAll(async () => {
  gateway = await openGateway();
  world = {
    ...gateway.action,
    prices: fixedPrices({ clock: gateway.clock }, ''),
    config: { quoteSeconds: 600 },
  };
});

const consentOf = (changes: Partial<RecurringConsent> = {}): RecurringConsent => ({
  // A different value each time, because two consents that start in the same second would be equal.
  subscriptionId: uuidToBytes32(newId()),
  payer: gateway.evm.payers[0].address,
  merchant: gateway.evm.merchant.address,
  token: gateway.evm.usdc.address,
  capPerPeriod: 12_500_000n,
  start: Math.floor(gateway.clock.now().getTime() / 1000) - 5,
  unit: 0,
  count: 10 * MINUTE,
  end: 0,
  feeBps: 100,
  feeRecipient: gateway.evm.feeRecipient.address,
  operator: gateway.evm.operator.address,
  arbiter: gateway.evm.arbiter.address,
  timelock: 10_000,
  disputeWindow: 50,
  disputeTimeout: 30 * DAY,
  timeoutPayerBps: 10_000,
  ...changes,
});

/** A subscription whose payer has signed; the rows that a checkout would write. */
async function signedConsent(consent: RecurringConsent): Promise<SubscriptionConsent> {
  const { database, app, evm } = gateway;
  const place: { chainId: number; escrow: Address } = { chainId: evm.chainId, escrow: evm.escrow };
  const [customerAccountId, productPlanId, productPlanPriceId, subscriptionId] = [newId(), newId(), newId(), newId()];
  await database.customerAccount.create({ data: { id: customerAccountId, appId: app.id } });
  await database.productPlan.create({
    data: { id: productPlanId, appId: app.id, name: 'P', planType: 'SUBSCRIPTION' },
  });
  await database.productPlanPrice.create({
    data: { id: productPlanPriceId, productPlanId, amount: '10', billingInterval: 'MINUTE', isDefault: true },
  });
  await database.subscription.create({
    data: { id: subscriptionId, appId: app.id, customerAccountId, productPlanId, productPlanPriceId },
  });
  return await database.subscriptionConsent.create({
    data: {
      consentId: consentHash(consent),
      subscriptionId,
      quoteId: newId(),
      chainId: evm.chainId,
      tokenKey: evm.usdc.key,
      walletAddress: consent.payer,
      method: 'APPROVAL',
      consent: consentToJson(consent),
      capPerPeriod: consent.capPerPeriod.toString(),
      cryptoAmount: '10000000',
      exchangeRate: '1',
      quoteExpiresAt: gateway.clock.now(),
      payerSignature: await privateKeyToAccount(evm.payers[0].privateKey).signTypedData(
        consentTypedData({ ...place, consent }),
      ),
    },
  });
}

async function chargeOf(consent: SubscriptionConsent, periodIndex: number, intent: PaymentIntent) {
  const quoted = await quoteCharge(world, { intent, token: placeOf(world.registry, consent).token });
  const newestBlockAt = Math.floor(world.clock.now().getTime() / 1000);
  return await signCharge(world, { consent, periodIndex, intent, quoteId: newId(), quoted, newestBlockAt });
}

describe('a charge', () => {
  it('is captured at once, and can be verified and refunded like any other payment', async () => {
    const consent = await signedConsent(consentOf());
    const intent = await gateway.intent();
    const charge = await chargeOf(consent, 0, intent);
    const moved = await gateway.gained(async () => {
      await transaction(gateway.database, (tx) => queueCharges(tx, [charge]));
      await gateway.settleDown();
    });
    expect(moved).toMatchObject({ payer: -10_000_000n, escrow: 10_000_000n });
    expect(await gateway.steps(intent.id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
    expect(await gateway.read(intent.id)).toMatchObject({
      status: 'CAPTURED',
      acceptedTermsHash: charge.termsHash,
      authorizationMethod: 'APPROVAL',
    });
    const verified = () => verifyPayment({ ...gateway, logs: gateway.source }, { intentId: intent.id });
    expect((await verified()).verdict).toBe('MATCH');
    await refundPaymentIntent(gateway.action, { scope: gateway.scope, id: intent.id, reason: 'gone' });
    await gateway.settleDown();
    expect(await gateway.status(intent.id)).toBe('REFUNDED');
    expect((await verified()).verdict).toBe('MATCH');
  });

  it('is rejected by the contract for a period that is already charged, even if the operator signs it', async () => {
    const consent = await signedConsent(consentOf());
    const [first, second] = [await gateway.intent(), await gateway.intent()];
    for (const intent of [first, second]) {
      const charge = await chargeOf(consent, 0, intent);
      await transaction(gateway.database, (tx) => queueCharges(tx, [charge]));
      await gateway.settleDown();
    }
    for (let attempt = 0; attempt < 6; attempt++) {
      await gateway.passTime(20);
      await gateway.settleDown();
    }
    expect(await gateway.status(first.id)).toBe('CAPTURED');
    expect(await gateway.steps(second.id)).toEqual(['AUTHORIZE FAILED']);
    const failed = await gateway.database.transaction.findFirstOrThrow({ where: { paymentIntentId: second.id } });
    expect(failed.error).toContain('PeriodAlreadyCharged');
  });

  it('is not queued while another charge of its payment is in progress', async () => {
    const intent = await gateway.intent();
    const wide = await signedConsent(consentOf());
    const [one, two] = [await chargeOf(wide, 0, intent), await chargeOf(wide, 0, intent)];
    await transaction(gateway.database, (tx) => queueCharges(tx, [one]));
    await expect(transaction(gateway.database, (tx) => queueCharges(tx, [two]))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await gateway.settleDown();
  });
});

describe('the periods of a consent', () => {
  const at = (text: string) => Math.floor(Date.parse(text) / 1000);
  it.each([
    ['weeks', { start: at('2027-01-31T10:00:00Z'), unit: 0, count: 7 * DAY }],
    ['months from a 31st', { start: at('2027-01-31T10:00:00Z'), unit: 1, count: 1 }],
    ['years from a leap day', { start: at('2028-02-29T23:59:59Z'), unit: 1, count: 12 }],
    ['five months', { start: at('2027-10-30T00:00:00Z'), unit: 1, count: 5 }],
  ])('match the contract’s periods: %s', async (_what, calendar) => {
    const { evm } = gateway;
    const consent = consentOf(calendar);
    for (const index of [0, 1, 2, 3, 11, 12, 25]) {
      const start = await evm.publicClient.readContract({
        address: evm.escrow,
        abi: escrowAbi,
        functionName: 'periodStart',
        args: [consent, index],
      });
      const first = new Date(Number(start) * 1000);
      expect(consentPeriodStart(consent, index)).toEqual(first);
      expect(consentPeriodIndex(consent, first)).toBe(index);
      expect(consentPeriodIndex(consent, new Date(first.getTime() - 1))).toBe(index - 1);
    }
  });
});
