/** The jobs in which other modules react to appended events; reactions are idempotent per event and verb. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** For an event whose reaction has failed too often for the consumer to wait for it. */
export const reactToEventJob = defineJob({
  name: 'react-to-event',
  payload: z.object({ appId: z.uuid(), sequence: z.string() }),
  maxAttempts: 25,
});

export function reactToEventKey(event: { appId: string; sequence: bigint }): string {
  return `react-to-event:${event.appId}:${event.sequence}`;
}

/** An earlier version enqueued one job for the events of each transaction. Jobs left in the queue after an upgrade still run. */
export const reactJob = defineJob({
  name: 'react',
  payload: z.object({ appId: z.uuid(), first: z.string(), last: z.string() }),
  maxAttempts: 25,
});
