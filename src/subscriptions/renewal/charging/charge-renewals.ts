import { type DatabaseTransaction, type Invoice, transaction } from '../../../../prisma/client.ts';
import { appendByApp, type OwnedEvents } from '../../../events/append-events.ts';
import { lockInvoices } from '../../../invoices/store.ts';
import { lockIntents } from '../../../payments/facts/lock-intents.ts';
import { pendingAuthorizations } from '../../../payments/transactions/request-authorization.ts';
import { newId } from '../../../platform/identifier.ts';
import type { PreparedCharge } from '../../charge/prepare-charge.ts';
import { queueCharges } from '../../charge/queue-charge.ts';
import { FOLLOW_MS, type NextCheck, PASSING_MS, scheduleRenewals } from '../../schedule-renewal.ts';
import { decideDue } from '../decide-due.ts';
import { failRenewal } from '../fail-renewal.ts';
import type { RenewalCause } from '../renewal-cause.ts';
import type { DueRenewal, RenewableSubscription, RenewalWorld } from '../renewal-world.ts';
import { lockRenewables } from '../store.ts';
import { type PlannedCharge, planCharges } from './plan-charges.ts';

/** About a minute: a charge is due in the very second in which the contract opens its period, and block times lag behind. */
const SIMULATIONS = 7;

/** A planned charge with its rows as they are under their locks. */
type Attempt = { planned: PlannedCharge; subscription: RenewableSubscription; invoice: Invoice };
type Sending = { subscription: RenewableSubscription; invoice: Invoice; charge: PreparedCharge };

/**
 * Makes one attempt to charge each due invoice: reads the payers and prices, then either queues the relayed transactions or
 * records why there are none. Writes nothing of a renewal whose subscription has changed since it was found due.
 */
export async function chargeRenewals(world: RenewalWorld, dues: readonly DueRenewal[]): Promise<void> {
  if (dues.length === 0) return;
  const plans = await planCharges(world, dues);
  await transaction(world.database, async (tx) => {
    const now = world.clock.now();
    const { attempts, changed } = await lockAttempts(tx, { dues, plans, now });
    const checks: NextCheck[] = changed.map((subscriptionId) => ({ subscriptionId, runAt: after(now, PASSING_MS) }));
    const sending: Sending[] = [];
    const events: OwnedEvents[] = [];
    for (const { planned, subscription, invoice } of attempts) {
      const { id: subscriptionId, appId } = subscription;
      switch (planned.kind) {
        case 'SEND':
          sending.push({ subscription, invoice, charge: planned.charge });
          checks.push({ subscriptionId, runAt: after(now, FOLLOW_MS) });
          break;
        case 'FAIL': {
          const { cause } = planned;
          events.push({ appId, events: await failRenewal(tx, { subscription, invoice, attempt: null, cause, now }) });
          break;
        }
        case 'POSTPONE':
          await noteCause(tx, { invoice, cause: planned.cause });
          checks.push({ subscriptionId, runAt: planned.until });
          break;
        default:
          throw new Error(`No such plan: ${String(planned satisfies never)}`);
      }
    }
    await send(tx, { sending, now });
    await scheduleRenewals(tx, checks);
    await appendByApp(tx, events);
  });
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

/**
 * Locks subscriptions, invoices and payments, in this order, and returns the attempts that may still be made. `changed` are the ids of
 * subscriptions that are due but must be planned again.
 */
async function lockAttempts(
  tx: DatabaseTransaction,
  { dues, plans, now }: { dues: readonly DueRenewal[]; plans: readonly PlannedCharge[]; now: Date },
): Promise<{ attempts: Attempt[]; changed: string[] }> {
  const ids = dues.map(({ subscription }) => subscription.id);
  const locked = new Map((await lockRenewables(tx, ids)).map((subscription) => [subscription.id, subscription]));
  const decisions = await decideDue(tx, { subscriptions: [...locked.values()], now });
  const invoices = await lockInvoices(
    tx,
    dues.map(({ invoice }) => invoice.id),
  );
  const paidOtherwise = await lockPayments(
    tx,
    dues.map(({ intent }) => intent.id),
  );
  const attempts: Attempt[] = [];
  const changed: string[] = [];
  for (const [index, due] of dues.entries()) {
    const subscription = locked.get(due.subscription.id);
    const invoice = invoices.get(due.invoice.id);
    const planned = plans[index];
    if (!subscription || !invoice || !planned || decisions.get(subscription.id)?.kind !== 'CHARGE') continue;
    const isPayable = invoice.status === 'OPEN' || invoice.status === 'PAST_DUE';
    // The plan was made for this consent and wallet; if either has changed, it is made again.
    const { consentId, customerWalletId } = due.subscription;
    const isSame = subscription.consentId === consentId && subscription.customerWalletId === customerWalletId;
    if (isPayable && isSame && !paidOtherwise.has(due.intent.id)) attempts.push({ planned, subscription, invoice });
    else changed.push(subscription.id);
  }
  return { attempts, changed };
}

/** Locks the payments, and returns those whose payer is paying the invoice manually, or has paid it. */
async function lockPayments(tx: DatabaseTransaction, ids: readonly string[]): Promise<Set<string>> {
  await lockIntents(tx, ids);
  const taken = await tx.paymentIntent.findMany({
    where: { id: { in: [...ids] }, status: { not: 'CREATED' } },
    select: { id: true },
  });
  return new Set([...taken.map(({ id }) => id), ...(await pendingAuthorizations(tx, ids))]);
}

async function send(
  tx: DatabaseTransaction,
  { sending, now }: { sending: readonly Sending[]; now: Date },
): Promise<void> {
  if (sending.length === 0) return;
  await tx.renewalAttempt.createMany({
    data: sending.map(({ subscription, invoice, charge }) => ({
      id: newId(),
      subscriptionId: subscription.id,
      invoiceId: invoice.id,
      consentId: charge.consentId,
      period: charge.periodIndex,
      chainId: charge.row.chainId,
      termsHash: charge.termsHash,
      status: 'PENDING',
      createdAt: now,
    })),
  });
  await queueCharges(
    tx,
    sending.map(({ charge }) => ({ ...charge, maxFailures: SIMULATIONS })),
  );
}

async function noteCause(
  tx: DatabaseTransaction,
  { invoice, cause }: { invoice: Invoice; cause: RenewalCause | null },
): Promise<void> {
  if (cause === null) return;
  await tx.invoice.update({
    where: { id: invoice.id },
    data: { lastErrorCode: cause.code, lastErrorMessage: cause.message },
  });
}
