import { type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import { appendByApp, type OwnedEvents } from '../../events/append-events.ts';
import { batchedChains } from '../../operator/batches/batched-chains.ts';
import { endSubscription } from '../cancel-subscription.ts';
import { nextTurn, queueCapacity } from '../charge/queue-turn.ts';
import { pauseForArrears } from '../pause-for-arrears.ts';
import { FOLLOW_MS, type NextCheck, PASSING_MS, scheduleRenewals, unscheduleRenewal } from '../schedule-renewal.ts';
import { hasFinalUsage, openFinalInvoices } from '../usage/final-usage.ts';
import { type CapRatesOf, readCapRates } from '../usage/read-cap-rates.ts';
import { applyRenewalPayments, type RenewalPayment } from './apply-renewal-payments.ts';
import { chargeRenewals } from './charging/charge-renewals.ts';
import { decideDue } from './decide-due.ts';
import { type FailedCharge, followAttempt } from './follow-attempt.ts';
import { openRenewalInvoices } from './open-renewal-invoices.ts';
import type { DueRenewal, RenewableSubscription, RenewalWorld } from './renewal-world.ts';
import { resolveFailure } from './resolve-failure.ts';
import { lockRenewables, unfinishedCharges } from './store.ts';

/** The result of examining several subscriptions. */
type Look = {
  charges: DueRenewal[];
  failed: FailedCharge[];
  /** Subscriptions that append events of their own and are therefore processed separately. */
  alone: string[];
};

/**
 * Does what is due for a subscription: opens the period's invoice and charges it, follows a pending charge, ends the
 * subscription, or only schedules the next check. Safe to run any number of times, concurrently and after any crash: what is due
 * is decided under the subscription's row lock, an invoice has at most one open attempt, and the contract accepts each period
 * once.
 *
 * Writes the subscription, its invoice, payment intent and attempt; appends `invoice.opened`, `payment_intent.created`,
 * `subscription.payment_failed`, `.past_due`, `.renewal_at_risk` and `.cancelled`. Only the chain reports that a charge succeeded
 * (`follow-renewal-payments.ts`). If a chain or price source fails, the attempt is postponed and not counted. While too many relayed
 * transactions are queued, nothing is opened or priced.
 */
export async function renewSubscription(
  world: RenewalWorld,
  { subscriptionId }: { subscriptionId: string },
): Promise<void> {
  await renewSubscriptions(world, [subscriptionId]);
}

/**
 * Does what is due for several subscriptions, as `renewSubscription` does for one, by statements for all of them. Throws if any of them
 * throws; then some may be done and others not, and all of them may be processed again.
 */
export async function renewSubscriptions(world: RenewalWorld, ids: readonly string[]): Promise<void> {
  const batched = await batchedChains(world);
  const rates = await readCapRates(world, ids);
  const look = await transaction(world.database, (tx) => lookAt(tx, world, { ids, batched, rates }));
  await chargeRenewals(world, look.charges);
  for (const failed of look.failed) await resolveFailure(world, failed);
  for (const id of look.alone) await renewSubscriptions(world, [id]);
}

async function lookAt(
  tx: DatabaseTransaction,
  world: RenewalWorld,
  { ids, batched, rates }: { ids: readonly string[]; batched: ReadonlySet<number>; rates: CapRatesOf },
): Promise<Look> {
  const subscriptions = await lockRenewables(tx, ids);
  const now = world.clock.now();
  const decisions = await decideDue(tx, { subscriptions, now });
  const followed = subscriptions.filter(({ id }) => decisions.get(id)?.kind === 'FOLLOW');
  const unfinished = await unfinishedCharges(
    tx,
    followed.map(({ id }) => id),
  );
  const [followAt, pricedAt] = [FOLLOW_MS, PASSING_MS].map((ms) => new Date(now.getTime() + ms)) as [Date, Date];
  const look: Look = { charges: [], failed: [], alone: [] };
  const checks: NextCheck[] = [];
  const due: RenewableSubscription[] = [];
  for (const subscription of subscriptions) {
    const decision = decisions.get(subscription.id) ?? { kind: 'NOTHING' };
    switch (decision.kind) {
      case 'NOTHING':
        await drop(tx, subscription);
        break;
      case 'WAIT':
        checks.push({ subscriptionId: subscription.id, runAt: decision.until });
        break;
      case 'END':
      case 'PAUSE':
      case 'FOLLOW':
        if (unfinished.has(subscription.id)) checks.push({ subscriptionId: subscription.id, runAt: followAt });
        else if (ids.length > 1) look.alone.push(subscription.id);
        else if (decision.kind === 'END') await endSubscription(tx, { subscription, trigger: decision.trigger, now });
        else if (decision.kind === 'PAUSE') await pauseForArrears(tx, { subscription, now });
        else look.failed.push(...[await followAttempt(tx, { subscription, now })].filter((failed) => failed !== null));
        break;
      case 'CHARGE':
        // Without a price, usage cannot be compared with the cap.
        if (rates.get(subscription.id) === null) checks.push({ subscriptionId: subscription.id, runAt: pricedAt });
        else due.push(subscription);
        break;
      default:
        throw new Error(`No such decision: ${String(decision satisfies never)}`);
    }
  }
  const { admitted, putOff } = await admit(tx, { due, batched, now });
  const { charges, events } = await openDue(tx, { subscriptions: admitted, rates, now });
  await scheduleRenewals(tx, [...checks, ...putOff]);
  await appendByApp(tx, events);
  return { ...look, charges };
}

/** Nothing is due any more. */
async function drop(tx: DatabaseTransaction, { id, pendingJobId }: RenewableSubscription): Promise<void> {
  if (pendingJobId === null) return;
  await tx.subscription.update({ where: { id }, data: { pendingJobId: await unscheduleRenewal(tx, id) } });
}

/** Admits as many subscriptions as the queues of their chains can take, and postpones the others. */
async function admit(
  tx: DatabaseTransaction,
  { due, batched, now }: { due: readonly RenewableSubscription[]; batched: ReadonlySet<number>; now: Date },
): Promise<{ admitted: RenewableSubscription[]; putOff: NextCheck[] }> {
  const capacity = new Map<number, number>();
  for (const chainId of new Set(due.flatMap(({ consent }) => consent?.chainId ?? []))) {
    capacity.set(chainId, await queueCapacity(tx, { chainId, isBatched: batched.has(chainId), now }));
  }
  const admitted: RenewableSubscription[] = [];
  const putOff: NextCheck[] = [];
  for (const subscription of due) {
    const { id, consent } = subscription;
    const places = consent ? (capacity.get(consent.chainId) ?? 0) : 1;
    if (consent) capacity.set(consent.chainId, places - 1);
    if (places > 0) admitted.push(subscription);
    else putOff.push({ subscriptionId: id, runAt: nextTurn({ id, now }) });
  }
  return { admitted, putOff };
}

/** Opens the due invoices, and the final ones of subscriptions that have ended. If nothing is to be paid, or the merchant voided it, the subscription advances at once. */
async function openDue(
  tx: DatabaseTransaction,
  { subscriptions, rates, now }: { subscriptions: readonly RenewableSubscription[]; rates: CapRatesOf; now: Date },
): Promise<{ charges: DueRenewal[]; events: OwnedEvents[] }> {
  const renewals = subscriptions.flatMap((subscription) => {
    const { currentPeriodEnd } = subscription;
    return currentPeriodEnd === null || hasFinalUsage(subscription) ? [] : [{ subscription, currentPeriodEnd }];
  });
  const opened = [
    ...(await openRenewalInvoices(tx, { renewals, rates, now })),
    ...(await openFinalInvoices(tx, { subscriptions: subscriptions.filter(hasFinalUsage), rates, now })),
  ];
  const charges: DueRenewal[] = [];
  const waived: RenewalPayment[] = [];
  const events: OwnedEvents[] = [];
  for (const { subscription, invoice, intent, events: openedEvents } of opened) {
    const { appId, consent } = subscription;
    events.push({ appId, events: openedEvents });
    if (intent) charges.push({ subscription, consent, invoice, intent });
    else waived.push({ subscription, invoice, intent: null });
  }
  return { charges, events: [...events, ...(await applyRenewalPayments(tx, { payments: waived, now }))] };
}
