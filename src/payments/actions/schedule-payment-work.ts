import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { agreedTerms } from '../../escrow/agreed-terms.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import type { PaymentHooks } from '../facts/payment-hooks.ts';
import {
  deliverPayoutsJob,
  expireJob,
  reclaimJob,
  resolveByTimeoutJob,
  returnKey,
  returnPaymentJob,
  settleJob,
} from '../jobs.ts';
import { acceptedKey } from '../payment-key.ts';
import { deliveryKey } from '../payouts/deliver-payouts.ts';
import { dropOvertaken } from '../transactions/drop-overtaken.ts';

/**
 * The fold's hooks: in the fold's own transaction, enqueues the work that a new state makes due later, and drops the transactions
 * that it makes impossible.
 */
export function schedulePaymentWork({ clock }: { clock: Clock }): Required<PaymentHooks> {
  return {
    async afterAuthorized(tx, intent) {
      const captureBy = intent.status === 'AUTHORIZED' ? await captureByOf(tx, intent) : null;
      if (captureBy === null) return;
      const runAt = new Date((captureBy + 1) * 1000);
      await addJob(tx, reclaimJob, { paymentIntentId: intent.id }, { runAt, key: `reclaim:${intent.id}` });
    },
    async afterCaptured(tx, intent) {
      const reason = 'The payment is captured.';
      await dropOvertaken(tx, { intent, types: ['CAPTURE', 'VOID', 'RECLAIM'], reason, now: clock.now() });
      if (!intent.timelockEndsAt) return;
      const options = { runAt: intent.timelockEndsAt, key: `settle:${intent.id}` };
      await addJob(tx, settleJob, { paymentIntentId: intent.id }, options);
    },
    async afterDisputed(tx, intent, dispute) {
      const reason = 'The payment is in dispute.';
      await dropOvertaken(tx, { intent, types: ['SETTLE', 'DISPUTE'], reason, now: clock.now() });
      const options = { runAt: dispute.deadline, key: `timeout:${intent.id}` };
      await addJob(tx, resolveByTimeoutJob, { paymentIntentId: intent.id }, options);
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
    async afterCredited(tx, { tryAt: runAt, ...recipient }) {
      await addJob(tx, deliverPayoutsJob, recipient, { runAt, key: deliveryKey(recipient) });
    },
  };
}

async function captureByOf(tx: DatabaseTransaction, intent: PaymentIntent): Promise<number | null> {
  const key = acceptedKey(intent);
  if (key === null) return null;
  const row = await tx.paymentTerms.findUnique({ where: { chainId_termsHash: key } });
  return row ? agreedTerms(row.terms).captureBy : null;
}
