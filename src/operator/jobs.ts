import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Wakes the pump of one sender on one chain. A timer makes up for a lost job. */
export const sendTransactionsJob = defineJob({
  name: 'send-transactions',
  payload: z.object({ chainId: z.number().int(), sender: z.string() }),
  maxAttempts: 3,
});
