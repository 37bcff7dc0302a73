import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { addJob } from '../../platform/jobs.ts';
import { renewalKey, renewSubscriptionJob } from '../jobs.ts';

/**
 * A charge failed for good: schedules a check of its subscription now. Called in the pump's transaction, which holds the
 * payment's lock; the subscription must be locked before the payment, so it is left to the job.
 */
export async function noteChargeFailure(tx: DatabaseTransaction, failure: { paymentIntentId: string }): Promise<void> {
  const invoice = await tx.invoice.findUnique({
    where: { paymentIntentId: failure.paymentIntentId },
    select: { subscriptionId: true },
  });
  if (!invoice?.subscriptionId) return;
  const { subscriptionId } = invoice;
  await addJob(tx, renewSubscriptionJob, { subscriptionId }, { key: renewalKey(subscriptionId) });
}
