import { Decimal } from 'decimal.js';
import { decodeFunctionData, isHex } from 'viem';
import {
  type AuthorizationMethod,
  type DatabaseTransaction,
  type PaymentIntent,
  transaction,
} from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { escrowAbi } from '../../escrow/escrow-abi.ts';
import { termsToJson } from '../../escrow/terms.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import { replayFacts } from '../../facts/replay-facts.ts';
import { newId } from '../../platform/identifier.ts';
import { openRenewalInvoice } from '../../subscriptions/renewal/open-renewal-invoices.ts';
import { lockRenewable } from '../../subscriptions/renewal/store.ts';
import type { OperationsWorld } from '../operations-world.ts';
import { findLostPayments, type LostPayment } from './lost-payments.ts';

export type Recovered = {
  lost: LostPayment;
  /** Null if the payment could not be recovered. */
  paymentIntentId: string | null;
};

type Charge = LostPayment & { belongsTo: { kind: 'CHARGE' } };

/** What the authorizing transaction contains in addition to the terms. */
type Authorization = { method: AuthorizationMethod; operatorSignature: string; payerSignature: string | null };

/**
 * Restores the terms of lost payments from the chain, and lets the indexer fold their events: payments of intents, and subscription
 * charges, each with the invoice and intent of its period. A payment that belongs to nothing in the database is left alone. It is safe to
 * run this any number of times.
 */
export async function recoverPayments(world: OperationsWorld): Promise<Recovered[]> {
  const lost = await findLostPayments(world);
  const charges = new Map<string, Charge[]>();
  const recovered: Recovered[] = [];
  for (const one of lost) {
    if (isCharge(one)) {
      const { subscriptionId } = one.belongsTo.consent;
      charges.set(subscriptionId, [...(charges.get(subscriptionId) ?? []), one]);
    } else if (one.belongsTo.kind === 'INTENT') {
      const { intent } = one.belongsTo;
      const authorization = await readAuthorization(world, one);
      await transaction(world.database, (tx) => writeTerms(tx, world, { lost: one, intent, authorization }));
      recovered.push({ lost: one, paymentIntentId: intent.id });
    } else recovered.push({ lost: one, paymentIntentId: null });
  }
  for (const [subscriptionId, ofOne] of charges) {
    recovered.push(...(await recoverCharges(world, { subscriptionId, charges: ofOne })));
  }
  for (const { lost: one, paymentIntentId } of recovered) {
    if (paymentIntentId !== null) await replayFacts(world, { chainId: one.chainId, ref: one.id });
  }
  return recovered;
}

function isCharge(lost: LostPayment): lost is Charge {
  return lost.belongsTo.kind === 'CHARGE';
}

/**
 * Assigns consecutive on-chain periods to consecutive invoices, opened as of the times at which they were charged. The fold marks them as
 * paid, as for any renewal.
 */
async function recoverCharges(
  world: OperationsWorld,
  request: { subscriptionId: string; charges: Charge[] },
): Promise<Recovered[]> {
  // All charges share one consent, and therefore one chain.
  const authorizations = new Map<string, Authorization>();
  for (const charge of request.charges) authorizations.set(charge.id, await readAuthorization(world, charge));
  return await transaction(world.database, async (tx) => {
    let subscription = await lockRenewable(tx, request.subscriptionId);
    let end = subscription?.currentPeriodEnd ?? null;
    const recovered: Recovered[] = [];
    const events: NewEvent[] = [];
    for (const charge of request.charges.toSorted((left, right) => left.belongsTo.period - right.belongsTo.period)) {
      const { consent, period } = charge.belongsTo;
      const authorization = authorizations.get(charge.id);
      if (!subscription || end === null || !authorization) {
        recovered.push({ lost: charge, paymentIntentId: null });
        continue;
      }
      const before = { ...consent, lastChargedPeriod: period === 0 ? null : period - 1 };
      const now = new Date(Number(charge.fact.blockTimestamp) * 1000);
      const opened = await openRenewalInvoice(tx, {
        subscription: { ...subscription, consent: before },
        currentPeriodEnd: end,
        now,
      });
      events.push(...opened.events);
      const { invoice, intent } = opened;
      end = invoice.periodEnd;
      subscription = { ...subscription, couponPeriodsLeft: opened.subscription.couponPeriodsLeft };
      if (intent?.status !== 'CREATED') {
        recovered.push({ lost: charge, paymentIntentId: null });
        continue;
      }
      await writeTerms(tx, world, {
        lost: charge,
        intent,
        authorization: { ...authorization, method: consent.method },
      });
      await tx.renewalAttempt.create({
        data: {
          id: newId(),
          subscriptionId: subscription.id,
          invoiceId: invoice.id,
          period,
          chainId: charge.chainId,
          termsHash: charge.id,
          status: 'PENDING',
          createdAt: now,
        },
      });
      recovered.push({ lost: charge, paymentIntentId: intent.id });
    }
    if (subscription) await appendEvents(tx, subscription.appId, events);
    return recovered;
  });
}

async function writeTerms(
  tx: DatabaseTransaction,
  { registry, clock }: OperationsWorld,
  request: { lost: LostPayment; intent: PaymentIntent; authorization: Authorization },
): Promise<void> {
  const { lost, intent, authorization } = request;
  const { chainId, id, terms } = lost;
  const token = registry.tokenByAddress(chainId, terms.token);
  if (!token) throw new Error(`Chain ${chainId} has no token at ${terms.token}: payment ${id} cannot be booked.`);
  const tokens = new Decimal(terms.amount.toString()).div(new Decimal(10).pow(token.decimals));
  const created = await tx.paymentTerms.createMany({
    skipDuplicates: true,
    data: [
      {
        termsHash: id,
        chainId,
        paymentIntentId: intent.id,
        tokenKey: token.key,
        terms: termsToJson(terms),
        // Relative to the amount's currency, because its USD rate was lost.
        exchangeRate: tokens.div(intent.amount.toString()).toFixed(18),
        authorizeBy: new Date(terms.authorizeBy * 1000),
        createdAt: clock.now(),
        ...authorization,
      },
    ],
  });
  if (created.count === 0) return;
  await recordAction(tx, {
    action: 'payment_intent.recovered',
    owner: { appId: intent.appId },
    target: { type: 'PaymentIntent', id: intent.id },
    after: { termsHash: id, chainId, txHash: lost.fact.txHash },
  });
}

/** The transaction of a contract wallet or a batch does not call the escrow contract directly, so its signatures are not known. */
async function readAuthorization({ nodes }: OperationsWorld, lost: LostPayment): Promise<Authorization> {
  const unknown: Authorization = { method: 'DIRECT', operatorSignature: '0x', payerSignature: null };
  const { txHash } = lost.fact;
  if (!isHex(txHash)) return unknown;
  const { to, input } = await nodes.asking(lost.chainId, (client) => client.getTransaction({ hash: txHash }));
  if (to?.toLowerCase() !== lost.escrow.toLowerCase()) return unknown;
  const { functionName, args } = decodeFunctionData({ abi: escrowAbi, data: input });
  switch (functionName) {
    case 'authorize':
      return { ...unknown, operatorSignature: args[1] };
    case 'authorizeWithPermit':
      return { method: 'PERMIT', operatorSignature: args[1], payerSignature: args[2] };
    case 'authorizeWithReceive':
      return { method: 'PERMIT', operatorSignature: args[1], payerSignature: args[3] };
    case 'authorizeWithAllowance':
      return { method: 'APPROVAL', operatorSignature: args[1], payerSignature: args[2] };
    case 'charge':
      return { method: 'APPROVAL', operatorSignature: args[3], payerSignature: args[4] };
    default:
      return unknown;
  }
}
