/** Handles a payout on Solana that waits for a person to act, and one that has been finalized. */
import type { DatabaseTransaction, OutgoingTransaction, PaymentIntent, Transaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { type PayoutPlan, payoutPlanFromText } from '../../escrow/solana/payout-plan.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import { keepersOf } from '../../operator/solana/keepers-at-work.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { deliverPayoutsJob } from '../jobs.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { deliveryKey } from '../payouts/deliver-payouts.ts';
import { formatPayout } from '../payouts/payout-fields.ts';

type World = { clock: Clock; registry: Registry };
type Transfer = PayoutPlan['transfers'][number] & { role: 'PAYER' | 'MERCHANT' | 'FEE_RECIPIENT' };

/** Records the reason on the payment's transaction, and appends one `payout_undelivered` event per share the first time. */
export async function reportWaiting(
  tx: DatabaseTransaction,
  world: World,
  outgoing: OutgoingTransaction,
): Promise<void> {
  const found = await lockOf(tx, outgoing);
  if (!found) return;
  const { intent, transaction } = found;
  const waiting = await tx.transaction.updateMany({
    where: { id: transaction.id, status: 'PENDING' },
    data: { error: outgoing.error },
  });
  if (waiting.count === 0 || outgoing.waitsSince !== null) return;
  const since = world.clock.now();
  const events = transfersOf(transaction, payoutPlanFromText(outgoing.data)).map((transfer) =>
    payoutEvent(world, 'payment_intent.payout_undelivered', {
      intent,
      transaction,
      transfer,
      since,
      advice: outgoing.error ?? '',
      delivered: null,
    }),
  );
  await appendEvents(tx, intent.appId, events);
}

/**
 * Called when a payout is in a final block. Appends `payout_delivered` for the shares that were reported as waiting, except for
 * those that are kept now, and retries delivery for wallets that hold something since, which may now accept what was kept for
 * them.
 */
export async function followLanded(
  tx: DatabaseTransaction,
  world: World,
  { id, txHash }: Pick<OutgoingTransaction, 'id' | 'txHash'>,
): Promise<void> {
  const outgoing = await tx.outgoingTransaction.findUnique({
    where: { id },
    include: { attempts: { where: { hash: txHash ?? '' } } },
  });
  if (!outgoing) return;
  const plan = payoutPlanFromText(outgoing.data);
  const kept = await keepersOf(outgoing);
  const paid = plan.transfers.filter(({ keptAt }) => keptAt === null || !kept.includes(keptAt)).map(({ to }) => to);
  await scheduleKeptShares(tx, world, { chainId: outgoing.chainId, recipients: plan.keptFor === null ? paid : [] });
  if (outgoing.waitsSince === null) return;
  const found = await lockOf(tx, outgoing);
  if (!found) return;
  const { intent, transaction } = found;
  const transfers = transfersOf(transaction, plan).filter(({ to }) => paid.includes(to));
  if (transfers.length === 0) return;
  const delivered = { txHash, at: world.clock.now() };
  const { waitsSince: since } = outgoing;
  const events = transfers.map((transfer) =>
    payoutEvent(world, 'payment_intent.payout_delivered', {
      intent,
      transaction,
      transfer,
      since,
      advice: 'It is paid.',
      delivered,
    }),
  );
  await appendEvents(tx, intent.appId, events);
}

async function scheduleKeptShares(
  tx: DatabaseTransaction,
  { clock }: World,
  { chainId, recipients }: { chainId: number; recipients: readonly string[] },
): Promise<void> {
  const open = { chainId, recipient: { in: [...recipients] }, deliveredAt: null, keptAt: { not: null } };
  const owners = await tx.creditedPayout.findMany({
    where: open,
    distinct: ['recipient', 'token'],
    select: { chainId: true, recipient: true, token: true },
  });
  if (owners.length === 0) return;
  await tx.creditedPayout.updateMany({ where: open, data: { nextTryAt: clock.now() } });
  for (const owner of owners) await addJob(tx, deliverPayoutsJob, owner, { key: deliveryKey(owner) });
}

async function lockOf(
  tx: DatabaseTransaction,
  { transactionId }: Pick<OutgoingTransaction, 'transactionId'>,
): Promise<{ intent: PaymentIntent; transaction: Transaction } | null> {
  if (transactionId === null) return null;
  const transaction = await tx.transaction.findUnique({ where: { id: transactionId } });
  if (!transaction) return null;
  return { intent: await lockPayment(tx, { id: transaction.paymentIntentId, scope: null }), transaction };
}

/** A settlement pays the merchant first; every other transfer goes back to the payer. */
function transfersOf({ type }: Transaction, { transfers }: PayoutPlan): Transfer[] {
  return transfers.map((transfer, index) => {
    const share = index === 0 ? ('MERCHANT' as const) : ('FEE_RECIPIENT' as const);
    return { ...transfer, role: type === 'SETTLE' ? share : 'PAYER' };
  });
}

function payoutEvent(
  { registry }: World,
  type: 'payment_intent.payout_undelivered' | 'payment_intent.payout_delivered',
  payout: {
    intent: PaymentIntent;
    transaction: Transaction;
    transfer: Transfer;
    since: Date;
    advice: string;
    delivered: { txHash: string | null; at: Date } | null;
  },
): NewEvent {
  const { intent, transaction, transfer, since, advice, delivered } = payout;
  const tokenKey = intent.cryptoTokenKey ?? `SOL-${transaction.chainId}`;
  return {
    type,
    resourceId: intent.id,
    data: {
      ...paymentIntentFields(intent),
      payout: {
        id: transaction.id,
        role: transfer.role,
        recipient: transfer.to,
        chainId: transaction.chainId,
        tokenKey,
        amount: String(transfer.amount),
        formatted: formatPayout(registry, { tokenKey, amount: transfer.amount }),
        since: since.toISOString(),
        txHash: null,
        keptAt: null,
        advice,
        deliveredTo: delivered ? transfer.to : null,
        deliveredTxHash: delivered?.txHash ?? null,
        deliveredAt: delivered?.at.toISOString() ?? null,
      },
    },
  };
}
