/** The background work of checkout sessions. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Rings when a session's time is over. */
export const expireCheckoutSessionJob = defineJob({
  name: 'expire-checkout-session',
  payload: z.object({ sessionId: z.uuid() }),
  maxAttempts: 10,
});
