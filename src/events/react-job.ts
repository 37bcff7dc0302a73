/** The job that lets other rooms react to what was appended; reactions are idempotent by (event, verb). */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

export const reactJob = defineJob({
  name: 'react',
  payload: z.object({ appId: z.uuid(), first: z.string(), last: z.string() }),
  maxAttempts: 25,
});
