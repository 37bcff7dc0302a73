/** The jobs that let other rooms react to what was appended; reactions are idempotent by (event, verb). */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Of an event whose reaction has failed too often for the consumer to wait for it. */
export const reactToEventJob = defineJob({
  name: 'react-to-event',
  payload: z.object({ appId: z.uuid(), sequence: z.string() }),
  maxAttempts: 25,
});

export function reactToEventKey(event: { appId: string; sequence: bigint }): string {
  return `react-to-event:${event.appId}:${event.sequence}`;
}

/** An earlier version enqueued one for the events of each transaction. What is left in the queue after an upgrade is still run. */
export const reactJob = defineJob({
  name: 'react',
  payload: z.object({ appId: z.uuid(), first: z.string(), last: z.string() }),
  maxAttempts: 25,
});
