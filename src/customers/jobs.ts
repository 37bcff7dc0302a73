import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** A wallet was linked: its subscriptions have it again, and its allowances are read once and followed by events from then on. */
export const refreshWalletJob = defineJob({
  name: 'refresh-wallet',
  payload: z.object({ chainId: z.number().int(), walletAddress: z.string() }),
  maxAttempts: 10,
});
