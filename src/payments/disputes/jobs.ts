/** The background jobs of disputes. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Appends the event of the approaching deadline. */
export const warnOfDeadlineJob = defineJob({
  name: 'warn-of-dispute-deadline',
  payload: z.object({ paymentIntentId: z.uuid() }),
  maxAttempts: 25,
});

export function warningKey(paymentIntentId: string): string {
  return `dispute-deadline:${paymentIntentId}`;
}

/** The events of a dispute for which mails are sent. */
export const mailedSteps = [
  'dispute.opened',
  'dispute.evidence_submitted',
  'dispute.deadline_approaching',
  'dispute.resolved',
] as const;
export type MailedStep = (typeof mailedSteps)[number];

/** Sends one mail about one event to one recipient. */
export const mailDisputeJob = defineJob({
  name: 'mail_dispute',
  payload: z.object({
    disputeId: z.uuid(),
    step: z.enum(mailedSteps),
    to: z.string(),
    audience: z.enum(['PAYER', 'MERCHANT']),
  }),
  maxAttempts: 10,
});
