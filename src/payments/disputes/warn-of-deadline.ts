import { type Database, transaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { disputeFields } from './dispute-fields.ts';
import { warningKey, warnOfDeadlineJob } from './jobs.ts';

/** How long before the deadline of a dispute the event is sent. The shortest deadline that terms may have is 7 days. */
const WARNING_MS = 72 * 3_600_000;

/** Returns when the event about the approaching deadline is sent. */
export function warningTime(deadline: Date): Date {
  return new Date(deadline.getTime() - WARNING_MS);
}

/**
 * Appends `dispute.deadline_approaching`, once, if the dispute is still open 72 hours before its deadline. Schedules itself again if it
 * runs too early. Does nothing once the deadline has passed.
 */
export async function warnOfDeadline(
  { database, clock }: { database: Database; clock: Clock },
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  await transaction(database, async (tx) => {
    const { appId } = await lockPayment(tx, { id: paymentIntentId, scope: null });
    const dispute = await tx.dispute.findUnique({ where: { paymentIntentId } });
    if (dispute?.status !== 'OPEN' || dispute.warnedAt !== null) return;
    const now = clock.now();
    if (now >= dispute.deadline) return;
    const runAt = warningTime(dispute.deadline);
    if (now < runAt) {
      await addJob(tx, warnOfDeadlineJob, { paymentIntentId }, { runAt, key: warningKey(paymentIntentId) });
      return;
    }
    await tx.dispute.update({ where: { id: dispute.id }, data: { warnedAt: now } });
    const data = disputeFields(dispute);
    await appendEvents(tx, appId, [{ type: 'dispute.deadline_approaching', resourceId: dispute.id, data }]);
  });
}
