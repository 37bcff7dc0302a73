/** The background work of members. */
import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

export const mailInvitationJob = defineJob({
  name: 'mail_invitation',
  payload: z.object({ memberId: z.uuid() }),
  maxAttempts: 10,
});
