import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Rings the pump of one sender on one chain; the timer makes a lost ring good. */
export const sendTransactionsJob = defineJob({
  name: 'send-transactions',
  payload: z.object({ chainId: z.number().int(), sender: z.string() }),
  maxAttempts: 3,
});
