/** The background jobs of mails. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Sends one mail. Its own tries are counted in its row; the job's attempts only cover faults of the database. */
export const sendMailJob = defineJob({
  name: 'send_mail',
  payload: z.object({ mailId: z.uuid() }),
  maxAttempts: 25,
  // Thousands may be queued in the same minute, and payments must not wait for them.
  priority: 30,
});

export function mailKey(mailId: string): string {
  return `mail:${mailId}`;
}

/** Sends a member one mail about all that were held. */
export const summarizeMailsJob = defineJob({
  name: 'summarize_mails',
  payload: z.object({ memberId: z.uuid() }),
  maxAttempts: 25,
  priority: 30,
});

export function summaryKey(memberId: string): string {
  return `mail-summary:${memberId}`;
}
