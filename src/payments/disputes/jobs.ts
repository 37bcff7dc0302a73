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
