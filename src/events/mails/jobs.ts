/** The background jobs of mails. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/**
 * Sends the mails that are due. There is one job for all of them, and each worker runs one at a time, so that a mail server that does not
 * respond occupies one place of the queue and not all of them.
 */
export const sendMailsJob = defineJob({
  name: 'send_mails',
  payload: z.object({}),
  maxAttempts: 25,
  priority: 30,
});

/** The key of the job for mails that were just queued. */
export const SEND_NOW = 'send-mails';
/** The key of the job for mails that are tried again. */
export const SEND_LATER = 'send-mails:later';

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
