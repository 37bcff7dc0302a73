/** The background work of one-time passwords. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Mails a code. `sealedCode` is sealed: a queue's table is no place for a password. */
export const mailPasswordJob = defineJob({
  name: 'mail_one_time_password',
  payload: z.object({ requestId: z.uuid(), sealedCode: z.string() }),
  // Past its ten minutes a code is not worth mailing.
  maxAttempts: 8,
});
