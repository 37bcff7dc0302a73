import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/**
 * Runs when a wallet was linked: returns it to its subscriptions and reads its allowances once; later changes arrive as events.
 */
export const refreshWalletJob = defineJob({
  name: 'refresh-wallet',
  payload: z.object({ chainId: z.number().int(), walletAddress: z.string() }),
  maxAttempts: 10,
});
