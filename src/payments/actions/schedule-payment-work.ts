import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { agreedTerms } from '../../escrow/agreed-terms.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob, addJobs } from '../../platform/jobs.ts';
import { scheduleDeposits } from '../deposits/schedule-deposits.ts';
import { warningKey, warnOfDeadlineJob } from '../disputes/jobs.ts';
import { warningTime } from '../disputes/warn-of-deadline.ts';
import type { PaymentHooks } from '../facts/payment-hooks.ts';
import {
  deliverPayoutsJob,
  expireJob,
  reclaimJob,
  resolveByTimeoutJob,
  returnKey,
  returnPaymentJob,
  settleJob,
  settleKey,
} from '../jobs.ts';
import { acceptedKey, keyText } from '../payment-key.ts';
import { deliveryKey } from '../payouts/deliver-payouts.ts';
import { dropOvertaken } from '../transactions/drop-overtaken.ts';

/**
 * The fold's hooks: in the fold's own transaction, enqueues the work that a new state makes due later, and drops the transactions
 * that it makes impossible.
 */
export function schedulePaymentWork({ clock }: { clock: Clock }): Required<PaymentHooks> {
  return {
    async afterAuthorized(tx, intents) {
      const held = intents.filter((intent) => intent.status === 'AUTHORIZED');
      const deadlines = await captureDeadlines(tx, held);
      const jobs = held.flatMap(({ id: paymentIntentId }) => {
        const captureBy = deadlines.get(paymentIntentId);
        if (captureBy === undefined) return [];
        const runAt = new Date((captureBy + 1) * 1000);
        return [{ payload: { paymentIntentId }, runAt, key: `reclaim:${paymentIntentId}` }];
      });
      await addJobs(tx, reclaimJob, jobs);
      await scheduleDeposits(tx, { paymentIntentIds: intents.map(({ id }) => id), now: clock.now() });
    },
    async afterCaptured(tx, intents) {
      const reason = 'The payment is captured.';
      await dropOvertaken(tx, { intents, types: ['CAPTURE', 'VOID', 'RECLAIM'], reason, now: clock.now() });
      const jobs = intents.flatMap(({ id: paymentIntentId, timelockEndsAt: runAt }) =>
        runAt === null ? [] : [{ payload: { paymentIntentId }, runAt, key: settleKey(paymentIntentId) }],
      );
      await addJobs(tx, settleJob, jobs);
    },
    async afterDisputed(tx, intent, dispute) {
      const reason = 'The payment is in dispute.';
      await dropOvertaken(tx, { intents: [intent], types: ['SETTLE', 'DISPUTE'], reason, now: clock.now() });
      const options = { runAt: dispute.deadline, key: `timeout:${intent.id}` };
      await addJob(tx, resolveByTimeoutJob, { paymentIntentId: intent.id }, options);
      const warning = { runAt: warningTime(dispute.deadline), key: warningKey(intent.id) };
      await addJob(tx, warnOfDeadlineJob, { paymentIntentId: intent.id }, warning);
    },
    async afterReverted(tx, intent) {
      if (intent.status !== 'CREATED' || !intent.expiresAt) return;
      const options = { runAt: intent.expiresAt, key: `expire:${intent.id}` };
      await addJob(tx, expireJob, { paymentIntentId: intent.id }, options);
    },
    async returnPayment(tx, { chainId, termsHash }) {
      const payment = { chainId, termsHash };
      await addJob(tx, returnPaymentJob, payment, { key: returnKey(payment) });
    },
    async afterCredited(tx, { attemptAt: runAt, ...recipient }) {
      await addJob(tx, deliverPayoutsJob, recipient, { runAt, key: deliveryKey(recipient) });
    },
  };
}

/** The Unix seconds until which each of these intents may be captured, by id. */
async function captureDeadlines(
  tx: DatabaseTransaction,
  intents: readonly PaymentIntent[],
): Promise<Map<string, number>> {
  if (intents.length === 0) return new Map();
  const counted = new Set(
    intents
      .map(acceptedKey)
      .filter((key) => key !== null)
      .map(keyText),
  );
  const rows = await tx.paymentTerms.findMany({
    where: { termsHash: { in: intents.flatMap(({ acceptedTermsHash }) => acceptedTermsHash ?? []) } },
  });
  const accepted = rows.filter((row) => counted.has(keyText(row)));
  return new Map(
    accepted.flatMap(({ paymentIntentId, terms }) => {
      const { captureBy } = agreedTerms(terms);
      return captureBy === null ? [] : [[paymentIntentId, captureBy] as const];
    }),
  );
}
