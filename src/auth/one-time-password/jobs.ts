/** The background work of one-time passwords. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Mails a code. `sealedCode` is encrypted, because the job table must not contain passwords. */
export const mailPasswordJob = defineJob({
  name: 'mail_one_time_password',
  payload: z.object({ requestId: z.uuid(), sealedCode: z.string() }),
  // A code that has expired after ten minutes is not mailed.
  maxAttempts: 8,
});
