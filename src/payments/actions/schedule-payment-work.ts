import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { agreedTerms } from '../../escrow/agreed-terms.ts';
import { addJob } from '../../platform/jobs.ts';
import type { PaymentHooks } from '../facts/payment-hooks.ts';
import { expireJob, reclaimJob, resolveByTimeoutJob, returnPaymentJob, settleJob } from '../jobs.ts';

/** The fold's hooks: enqueues, in the fold's own transaction, the work that a new state makes due later. */
export function schedulePaymentWork(): Required<PaymentHooks> {
  return {
    async afterAuthorized(tx, intent) {
      const captureBy = intent.status === 'AUTHORIZED' ? await captureByOf(tx, intent) : null;
      if (captureBy === null) return;
      const runAt = new Date((captureBy + 1) * 1000);
      await addJob(tx, reclaimJob, { paymentIntentId: intent.id }, { runAt, key: `reclaim:${intent.id}` });
    },
    async afterCaptured(tx, intent) {
      if (!intent.timelockEndsAt) return;
      const options = { runAt: intent.timelockEndsAt, key: `settle:${intent.id}` };
      await addJob(tx, settleJob, { paymentIntentId: intent.id }, options);
    },
    async afterDisputed(tx, intent, dispute) {
      const options = { runAt: dispute.deadline, key: `timeout:${intent.id}` };
      await addJob(tx, resolveByTimeoutJob, { paymentIntentId: intent.id }, options);
    },
    async afterReverted(tx, intent) {
      if (intent.status !== 'CREATED' || !intent.expiresAt) return;
      const options = { runAt: intent.expiresAt, key: `expire:${intent.id}` };
      await addJob(tx, expireJob, { paymentIntentId: intent.id }, options);
    },
    async returnPayment(tx, { termsHash }) {
      await addJob(tx, returnPaymentJob, { termsHash }, { key: `return:${termsHash}` });
    },
  };
}

async function captureByOf(tx: DatabaseTransaction, intent: PaymentIntent): Promise<number | null> {
  if (intent.acceptedTermsHash === null) return null;
  const row = await tx.paymentTerms.findUnique({ where: { termsHash: intent.acceptedTermsHash } });
  return row ? agreedTerms(row.terms).captureBy : null;
}
