import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import { readArchived } from '../../events/store.ts';
import type { FactGroup } from '../../facts/fact-handler.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { finalityOf } from './finality.ts';

/**
 * Appends `payment_intent.reverted` when the transaction of a reported `payment_intent.pending` is no longer in any block. The
 * intent's state never changed.
 */
export async function reportVanished(tx: DatabaseTransaction, group: FactGroup): Promise<void> {
  const [fact] = group.facts;
  if (group.ref === null || !fact) return;
  const terms = await tx.paymentTerms.findUnique({
    where: { chainId_termsHash: { chainId: group.chainId, termsHash: group.ref } },
    include: { paymentIntent: true },
  });
  if (!terms) return;
  const intent = terms.paymentIntent;
  const isReported = await isPendingReported(tx, { intent, fact });
  const minedAgain = await tx.chainFact.findFirst({
    where: {
      chainId: group.chainId,
      ref: group.ref,
      txHash: { in: group.facts.map((gone) => gone.txHash) },
      status: { in: ['SEEN', 'CONFIRMED', 'FINAL'] },
    },
  });
  if (!isReported || minedAgain) return;
  await appendEvents(tx, intent.appId, [
    {
      type: 'payment_intent.reverted',
      resourceId: intent.id,
      data: paymentIntentFields(intent),
      finality: { ...finalityOf(group.view, fact.blockNumber), confirmations: 0, isFinal: false },
    },
  ]);
}

/** An archived event is assumed to have reported a fact that is as old. */
async function isPendingReported(
  tx: DatabaseTransaction,
  { intent, fact }: { intent: { id: string; appId: string }; fact: { seenAt: Date } },
): Promise<boolean> {
  const reported = await tx.event.findFirst({ where: { resourceId: intent.id, type: 'payment_intent.pending' } });
  if (reported) return true;
  const { until } = await readArchived(tx, intent.appId);
  return until !== null && fact.seenAt <= until;
}
