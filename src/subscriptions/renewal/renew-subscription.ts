import { type DatabaseTransaction, type Invoice, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import { endSubscription } from '../cancel-subscription.ts';
import { queueTurn } from '../charge/queue-turn.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { applyRenewalPayment } from './apply-renewal-payment.ts';
import { chargeRenewal } from './charge-renewal.ts';
import { decideDue } from './decide-due.ts';
import { type FailedCharge, followAttempt } from './follow-attempt.ts';
import { judgeFailure } from './judge-failure.ts';
import { openRenewalInvoice } from './open-renewal-invoice.ts';
import type { RenewableSubscription, RenewalWorld } from './renewal-world.ts';
import { lockRenewable } from './store.ts';

type Look =
  | { kind: 'DONE' }
  | { kind: 'CHARGE'; subscription: RenewableSubscription; invoice: Invoice; intent: PaymentIntent }
  | ({ kind: 'FAILED' } & FailedCharge);

/**
 * Does what is due for a subscription: opens the period's invoice and charges it, follows a pending charge, ends the
 * subscription, or only schedules the next check. Safe to run any number of times, concurrently and after any crash: what is due
 * is decided under the subscription's row lock, an invoice has at most one open attempt, and the contract accepts each period
 * once.
 *
 * Writes the subscription, its invoice, payment intent and attempt; appends `invoice.opened`, `payment_intent.created`,
 * `subscription.payment_failed`, `.past_due`, `.renewal_at_risk` and `.cancelled`. Only the chain reports that a charge succeeded
 * (`follow-renewal-payment.ts`). If a chain or price source fails, the attempt is postponed and not counted. While the sender's
 * transactions pile up, nothing is opened or priced.
 */
export async function renewSubscription(
  world: RenewalWorld,
  { subscriptionId }: { subscriptionId: string },
): Promise<void> {
  const look = await transaction(world.database, (tx) => lookAt(tx, world, subscriptionId));
  switch (look.kind) {
    case 'DONE':
      return;
    case 'CHARGE':
      return await chargeRenewal(world, look);
    case 'FAILED':
      return await judgeFailure(world, look);
    default:
      return look satisfies never;
  }
}

async function lookAt(tx: DatabaseTransaction, world: RenewalWorld, subscriptionId: string): Promise<Look> {
  const subscription = await lockRenewable(tx, subscriptionId);
  if (!subscription) return { kind: 'DONE' };
  const now = world.clock.now();
  const decision = await decideDue(tx, { subscription, now });
  switch (decision.kind) {
    case 'NOTHING':
    case 'WAIT':
      await rest(tx, { subscription, until: decision.kind === 'WAIT' ? decision.until : null });
      return { kind: 'DONE' };
    case 'END':
      await endSubscription(tx, { subscription, trigger: decision.trigger, now });
      return { kind: 'DONE' };
    case 'FOLLOW': {
      const failed = await followAttempt(tx, { subscription, now });
      return failed ? { kind: 'FAILED', ...failed } : { kind: 'DONE' };
    }
    case 'CHARGE': {
      const until = await queueTurn(tx, { subscription, now });
      if (until === null) return await openDue(tx, { subscription, now });
      await rest(tx, { subscription, until });
      return { kind: 'DONE' };
    }
    default:
      return decision satisfies never;
  }
}

async function rest(
  tx: DatabaseTransaction,
  { subscription, until }: { subscription: RenewableSubscription; until: Date | null },
): Promise<void> {
  const { id, pendingJobId } = subscription;
  if (until === null && pendingJobId === null) return;
  const next = until === null ? null : await scheduleRenewal(tx, { subscriptionId: id, runAt: until });
  await tx.subscription.update({ where: { id }, data: { pendingJobId: next } });
}

/** Opens the due invoice. If nothing is to be paid, or the merchant voided it, the subscription advances at once. */
async function openDue(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: RenewableSubscription; now: Date },
): Promise<Look> {
  const { currentPeriodEnd } = subscription;
  if (currentPeriodEnd === null) return { kind: 'DONE' };
  const { invoice, intent, events } = await openRenewalInvoice(tx, { subscription, currentPeriodEnd, now });
  if (intent) {
    await appendEvents(tx, subscription.appId, events);
    return { kind: 'CHARGE', subscription, invoice, intent };
  }
  const moved = await applyRenewalPayment(tx, { subscription, invoice, intent: null, now });
  await appendEvents(tx, subscription.appId, [...events, ...moved]);
  return { kind: 'DONE' };
}
