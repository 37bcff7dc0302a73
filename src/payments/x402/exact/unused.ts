/** Handles an authorization that was not used on the chain: it is sent again, or it has expired. */
import {
  type Database,
  type DatabaseTransaction,
  type ExactAuthorization,
  transaction,
} from '../../../../prisma/client.ts';
import { appendEvents } from '../../../events/append-events.ts';
import type { ChainView } from '../../../facts/chain-view.ts';
import { limitLockWait } from '../../../facts/store.ts';
import { lockPayment } from '../../actions/lock-payment.ts';
import { finalityOf } from '../../facts/finality.ts';
import { paymentIntentFields } from '../../payment-intent-fields.ts';
import { outcomeOf } from './exact-authorization.ts';
import { appendFacilitatedEvent } from './facilitated-event.ts';
import { sendTransfer } from './send-transfer.ts';
import { lockAuthorization, standingUses } from './store.ts';
import { type OutcomeWorld, writeOutcome } from './write-outcome.ts';

/** Queues the transfer of a pending authorization again if nothing sends it: after a reorganization, or after it failed. */
export async function sendAgain({ database }: { database: Database }, { id }: { id: string }): Promise<void> {
  await transaction(database, async (tx) => {
    await limitLockWait(tx);
    const authorization = await lockWithIntent(tx, id);
    if (authorization.status === 'PENDING') await sendTransfer(tx, authorization);
  });
}

/**
 * Fails an authorization that has expired, with `payment_intent.failed` for its intent, or withdraws that, with `payment_intent.reverted`,
 * when a reorganization has set the time of the confirmed block back.
 */
export async function setExpired(
  world: OutcomeWorld & { database: Database },
  { view, id, isExpired }: { view: ChainView; id: string; isExpired: boolean },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    await limitLockWait(tx);
    const authorization = await lockWithIntent(tx, id);
    const { chainId, paymentKey } = authorization;
    const uses = await tx.chainFact.count({ where: { chainId, ref: paymentKey, status: { not: 'ORPHANED' } } });
    if (uses > 0 || authorization.status !== (isExpired ? 'PENDING' : 'FAILED')) return;
    const failure = isExpired ? 'EXPIRED' : null;
    const outcome = outcomeOf({ failure }, await standingUses(tx, authorization));
    const intent = await writeOutcome(tx, world, { authorization, outcome, gasUsed: null });
    const finality = finalityOf(view, view.confirmed.number);
    if (!intent) return await appendFacilitatedEvent(tx, { before: authorization, finality });
    await appendEvents(tx, intent.appId, [
      isExpired
        ? { type: 'payment_intent.failed', resourceId: intent.id, data: paymentIntentFields(intent), finality }
        : {
            type: 'payment_intent.reverted',
            resourceId: intent.id,
            data: paymentIntentFields(intent),
            finality: { ...finality, confirmations: 0, isFinal: false },
          },
    ]);
  });
}

/** The intent is locked before its authorization, as everywhere. */
async function lockWithIntent(tx: DatabaseTransaction, id: string): Promise<ExactAuthorization> {
  const { paymentIntentId } = await tx.exactAuthorization.findUniqueOrThrow({ where: { id } });
  if (paymentIntentId !== null) await lockPayment(tx, { id: paymentIntentId, scope: null });
  return await lockAuthorization(tx, id);
}
