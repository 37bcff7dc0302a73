import { Prisma, transaction } from '../../../../prisma/client.ts';
import { canonicalSignature } from '../../../chains/evm/signature.ts';
import { relayCall } from '../../../checkout/authorization-plan.ts';
import { lockWallet } from '../../../checkout/store.ts';
import { termsToJson, termsTypedData } from '../../../escrow/terms.ts';
import { appendEvents } from '../../../events/append-events.ts';
import { RELAY_SENDER } from '../../../operator/relay.ts';
import { newId } from '../../../platform/identifier.ts';
import { toDecimal } from '../../../prices/base-units.ts';
import { insertPaymentIntent } from '../../insert-payment-intent.ts';
import type { SubmittedCall } from '../../new-payment-intent.ts';
import { requestAuthorization } from '../../transactions/request-authorization.ts';
import { requirePayeeApp } from '../payee-app.ts';
import type { QuoteClaims } from '../requirement-quote.ts';
import { encodeClaims, expiryFault, takenUntil } from '../requirement-quote.ts';
import { readUnderWay, underWayFault } from '../under-way.ts';
import type { Refusal } from '../x402-types.ts';
import type { EvaluatedPayment, X402World } from '../x402-world.ts';
import { type EscrowPayment, requestHashOf } from './escrow-payment.ts';

/**
 * Writes the payment intent, its quote and terms, signed by the operator, and queues the relay, in one transaction. The terms' key is the
 * authorization itself: a second call writes nothing. Appends `payment_intent.created`. Returns why it was refused, or null.
 */
export async function takeEscrowPayment(
  world: X402World,
  evaluated: EvaluatedPayment,
  payment: EscrowPayment,
): Promise<Refusal | null> {
  const { chain, claims } = evaluated;
  if (claims === null) throw new Error('An escrow payment has a quote.');
  const { terms, termsHash, planned } = payment;
  const chainId = chain.chainId;
  const operatorSignature = await world.operator.signTypedData(termsTypedData(planned));
  const signature = canonicalSignature(payment.signed.signature);
  const call = relayCall(payment.plan, planned, { receive: signature, operatorSignature });
  if (call === null) throw new Error('An authorization is relayed.');
  return await transaction(world.database, async (tx) => {
    await lockWallet(tx, { chainId, address: terms.payer });
    const known = await tx.paymentTerms.findUnique({ where: { chainId_termsHash: { chainId, termsHash } } });
    if (known) return null;
    const now = world.clock.now();
    const late = expiryFault(takenUntil(evaluated), now);
    if (late) return { ...late, payer: terms.payer };
    const app = await requirePayeeApp(tx, { merchantId: evaluated.app.merchantId, appId: evaluated.app.id });
    if (payoutsOf(app) !== payoutsOf(evaluated.app)) {
      const message = 'The address at which the merchant is paid has just changed.';
      return { reason: 'pay_to_changed', message, payer: terms.payer };
    }
    const underWay = await readUnderWay(tx, { chainId, tokenKey: claims.tokenKey, payer: terms.payer });
    const busy = underWayFault(underWay, terms.payer);
    if (busy) return busy;
    const { intent, created } = await insertPaymentIntent(tx, {
      app: { ...app, ...agreedSettings(payment, app) },
      fields: { amount: claims.price, currency: claims.currency },
      now,
      expiresAt: new Date(terms.authorizeBy * 1000),
      x402: submittedCall(evaluated, claims),
    });
    const shared = {
      paymentIntentId: intent.id,
      chainId,
      tokenKey: claims.tokenKey,
      method: 'PERMIT' as const,
      exchangeRate: new Prisma.Decimal(claims.exchangeRate),
      termsHash,
      createdAt: now,
    };
    const quoteId = newId();
    await tx.paymentTerms.create({
      data: {
        ...shared,
        quoteId,
        terms: termsToJson(terms),
        operatorSignature,
        payerSignature: signature,
        authorizeBy: new Date(terms.authorizeBy * 1000),
      },
    });
    await tx.quote.create({ data: { ...shared, id: quoteId, ...quoteColumns(payment, { claims, signature, now }) } });
    await requestAuthorization(tx, {
      paymentIntentId: intent.id,
      chainId,
      termsHash,
      call,
      amount: terms.amount,
      sender: RELAY_SENDER,
    });
    await appendEvents(tx, app.id, [created]);
    return null;
  });
}

function submittedCall(evaluated: EvaluatedPayment, { resource, scheme }: QuoteClaims): SubmittedCall {
  return { resource, scheme, network: evaluated.requirements.network, requestHash: requestHashOf(evaluated) };
}

/** The settings that the payer has signed, which may differ from those that the app has by now. */
function agreedSettings({ terms }: EscrowPayment, app: { disputeStartDuration: number }) {
  return {
    timelockDuration: terms.timelock,
    disputeStartDuration: terms.disputeWindow === 0 ? app.disputeStartDuration : terms.disputeWindow,
    platformFeeBps: terms.feeBps,
    captureMode: terms.captureOnAuthorize ? ('AUTOMATIC' as const) : ('MANUAL' as const),
  };
}

function quoteColumns(
  { terms, plan }: EscrowPayment,
  { claims, signature, now }: { claims: QuoteClaims; signature: string; now: Date },
) {
  return {
    walletAddress: terms.payer,
    cryptoAmount: toDecimal(terms.amount),
    expiresAt: new Date(claims.expiresAt),
    confirmedAt: now,
    // The claims are the preimage of the terms' quoteHash.
    plan: { ...plan, x402: encodeClaims(claims) },
    evidence: claims.evidence,
    signature,
  };
}

function payoutsOf({ payoutAddresses }: EvaluatedPayment['app']): string {
  return payoutAddresses
    .map(({ family, address }) => `${family} ${address}`)
    .sort()
    .join();
}
