/** The background jobs of checkout sessions. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Runs when a session expires. */
export const expireCheckoutSessionJob = defineJob({
  name: 'expire-checkout-session',
  payload: z.object({ sessionId: z.uuid() }),
  maxAttempts: 10,
});
