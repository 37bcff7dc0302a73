import { type DatabaseTransaction, type Invoice, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';
import { appendEvents } from '../../events/append-events.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { lockPayment } from '../../payments/actions/lock-payment.ts';
import { newId } from '../../platform/identifier.ts';
import { consentPeriodIndex, consentPeriodStart } from '../charge/consent-period.ts';
import { type PreparedCharge, prepareCharge } from '../charge/prepare-charge.ts';
import { queueCharge } from '../charge/queue-charge.ts';
import { FOLLOW_MS, PASSING_MS, scheduleRenewal } from '../schedule-renewal.ts';
import { chargePeriod } from './charge-period.ts';
import { decideDue } from './decide-due.ts';
import { failRenewal } from './fail-renewal.ts';
import { readPayer } from './read-payer.ts';
import { passingCause, payerCause, type RenewalCause } from './renewal-cause.ts';
import type { RenewableSubscription, RenewalWorld } from './renewal-world.ts';
import { keptPeriod, lockRenewable } from './store.ts';
import { wantedCharge } from './wanted-charge.ts';

/** About a minute: a charge is due in the very second in which the contract opens its period, and block times lag behind. */
const SIMULATIONS = 7;

export type DueRenewal = { subscription: RenewableSubscription; invoice: Invoice; intent: PaymentIntent };

type Attempt =
  | { kind: 'SEND'; charge: PreparedCharge }
  | { kind: 'FAIL'; cause: RenewalCause }
  | { kind: 'POSTPONE'; cause: RenewalCause | null; until: Date };

/**
 * Makes one attempt to charge a due invoice: reads the payer and the price, then either queues the operator's transaction or
 * records why there is none. Writes nothing if the subscription has changed since it was found due.
 */
export async function chargeRenewal(world: RenewalWorld, due: DueRenewal): Promise<void> {
  const attempt = await plan(world, due);
  await transaction(world.database, async (tx) => {
    const subscription = await lockRenewable(tx, due.subscription.id);
    const now = world.clock.now();
    if (!subscription || (await decideDue(tx, { subscription, now })).kind !== 'CHARGE') return;
    const invoice = await lockInvoice(tx, due.invoice.id);
    const intent = await lockPayment(tx, { id: due.intent.id, scope: null });
    const isPayable = invoice.status === 'OPEN' || invoice.status === 'PAST_DUE';
    // The plan was made for this consent and wallet; if either has changed, it is made again.
    const { consentId, customerWalletId } = due.subscription;
    const isSame = subscription.consentId === consentId && subscription.customerWalletId === customerWalletId;
    if (!isPayable || !isSame || (await isPaidOtherwise(tx, intent))) {
      await lookAgain(tx, { id: subscription.id, runAt: new Date(now.getTime() + PASSING_MS) });
      return;
    }
    switch (attempt.kind) {
      case 'SEND':
        return await send(tx, { subscription, invoice, charge: attempt.charge, now });
      case 'FAIL': {
        const { cause } = attempt;
        const events = await failRenewal(tx, { subscription, invoice, attempt: null, cause, now });
        return void (await appendEvents(tx, subscription.appId, events));
      }
      case 'POSTPONE':
        return await postpone(tx, { subscription, invoice, ...attempt });
      default:
        return attempt satisfies never;
    }
  });
}

/** Reads only. */
async function plan(world: RenewalWorld, { subscription, invoice, intent }: DueRenewal): Promise<Attempt> {
  const { consent } = subscription;
  const now = world.clock.now();
  if (!consent?.acceptedAt) return fail('CONSENT_MISSING', 'There is no signed consent to charge by.');
  if (consent.edition !== ESCROW_EDITION) {
    return fail(
      'CONSENT_MISSING',
      'The consent is for the first edition of the contract; the payer must consent again.',
    );
  }
  if (subscription.customerWalletId === null) {
    return fail('WALLET_REMOVED', `${consent.walletAddress} is none of the customer's wallets any more.`);
  }
  try {
    await requireOpenChain(world, consent.chainId);
    const payer = await readPayer(world, consent);
    const terms = consentFromJson(consent.consent);
    const current = consentPeriodIndex(terms, now);
    const kept = await keptPeriod(world.database, invoice.id);
    const slot = chargePeriod({ current, nextPeriod: payer.nextPeriod }, kept);
    if (slot.kind === 'SPENT') return { kind: 'POSTPONE', cause: null, until: new Date(now.getTime() + PASSING_MS) };
    if (slot.kind === 'NOT_OPEN' && !payer.isRevoked) {
      const until = consentPeriodStart(terms, slot.period);
      const message = `The consent was charged for its running period; the next begins at ${until.toISOString()}.`;
      return { kind: 'POSTPONE', cause: { code: 'PERIOD_NOT_OPEN', message }, until };
    }
    const prepared = await prepareCharge(world, { consent, periodIndex: slot.period, intent });
    const amount = prepared.kind === 'READY' ? prepared.quoted.cryptoAmount : prepared.cryptoAmount;
    const cause = payerCause(wantedCharge(world, { subscription, consent, amount, now }), payer);
    if (cause) return { kind: 'FAIL', cause };
    if (prepared.kind === 'READY') return { kind: 'SEND', charge: prepared };
    throw new Error('A charge above its cap was taken for one within it.');
  } catch (error) {
    const cause = passingCause(error);
    if (cause === null) throw error;
    return { kind: 'POSTPONE', cause, until: new Date(now.getTime() + PASSING_MS) };
  }
}

function fail(code: RenewalCause['code'], message: string): Attempt {
  return { kind: 'FAIL', cause: { code, message } };
}

/** Throws CHAIN_PAUSED while an operator has paused new payments on the chain. */
async function requireOpenChain(world: RenewalWorld, chainId: number): Promise<void> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  if (!cursor || (cursor.pausedAt === null && cursor.haltedAt === null)) return;
  throw new GatewayError('CHAIN_PAUSED', `New payments on chain ${chainId} are paused.`, { meta: { chainId } });
}

/** The payer is paying the invoice manually, or has paid it. */
async function isPaidOtherwise(tx: DatabaseTransaction, intent: PaymentIntent): Promise<boolean> {
  if (intent.status !== 'CREATED') return true;
  const relayed = await tx.transaction.count({
    where: { paymentIntentId: intent.id, type: 'AUTHORIZE', status: 'PENDING' },
  });
  return relayed > 0;
}

async function send(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; invoice: Invoice; charge: PreparedCharge; now: Date },
): Promise<void> {
  const { subscription, invoice, charge, now } = request;
  await tx.renewalAttempt.create({
    data: {
      id: newId(),
      subscriptionId: subscription.id,
      invoiceId: invoice.id,
      period: charge.periodIndex,
      chainId: charge.row.chainId,
      termsHash: charge.termsHash,
      status: 'PENDING',
      createdAt: now,
    },
  });
  await lookAgain(tx, { id: subscription.id, runAt: new Date(now.getTime() + FOLLOW_MS) });
  await queueCharge(tx, { ...charge, maxFailures: SIMULATIONS });
}

async function postpone(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; invoice: Invoice; cause: RenewalCause | null; until: Date },
): Promise<void> {
  const { subscription, invoice, cause, until } = request;
  if (cause) {
    await tx.invoice.update({
      where: { id: invoice.id },
      data: { lastErrorCode: cause.code, lastErrorMessage: cause.message },
    });
  }
  await lookAgain(tx, { id: subscription.id, runAt: until });
}

async function lookAgain(tx: DatabaseTransaction, { id, runAt }: { id: string; runAt: Date }): Promise<void> {
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: id, runAt });
  await tx.subscription.update({ where: { id }, data: { pendingJobId } });
}
