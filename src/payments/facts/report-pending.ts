import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { FactGroup } from '../../facts/fact-handler.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { finalityOf } from './finality.ts';

/**
 * Appends `payment_intent.pending` when a transaction of a payment is on the chain but not final yet: once per payment,
 * transaction and block.
 */
export async function reportPending(tx: DatabaseTransaction, group: FactGroup): Promise<void> {
  const [fact] = group.facts;
  if (group.ref === null || !fact) return;
  const terms = await tx.paymentTerms.findUnique({
    where: { chainId_termsHash: { chainId: group.chainId, termsHash: group.ref } },
    include: { paymentIntent: true },
  });
  if (!terms) return;
  const intent = terms.paymentIntent;
  await appendEvents(tx, intent.appId, [
    {
      type: 'payment_intent.pending',
      resourceId: intent.id,
      data: paymentIntentFields(intent),
      finality: finalityOf(group.view, fact.blockNumber),
    },
  ]);
}
