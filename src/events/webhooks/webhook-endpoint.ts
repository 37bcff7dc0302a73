/**
 * A webhook endpoint: where a merchant is told of an app's events, as Standard Webhooks describes it.
 * The merchant's 2xx is the authority for "delivered". An endpoint that answers 410, or fails for days, is disabled.
 *
 * First attempts start in the order of the sequence, one at a time. A delivery that failed waits for its retry while later
 * ones are sent, unless the endpoint is `ordered`: then nothing is sent before every earlier delivery was delivered or given
 * up. Five failures in a row pause the endpoint for at most half a minute.
 */
import { z } from 'zod';
import { eventTypes, isEventType } from '../event-type.ts';

const url = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).max(2048, 'at most 2048 characters');
const events = z
  .array(z.string().refine((text) => text === '*' || isEventType(text), 'an event type, or *'))
  .min(1, 'at least one event type, or *')
  .max(eventTypes.length, `at most ${eventTypes.length} types`);

export const createEndpointSchema = z.object({
  url,
  events,
  active: z.boolean().nullish(),
  ordered: z.boolean().nullish(),
});
export type CreateEndpointInput = z.infer<typeof createEndpointSchema>;

export const updateEndpointSchema = z.object({
  url: url.optional(),
  events: events.optional(),
  active: z.boolean().optional(),
  ordered: z.boolean().optional(),
});
export type UpdateEndpointInput = z.infer<typeof updateEndpointSchema>;

/** What the audit log tells of an endpoint: never its secret. */
export const endpointFacts = ['url', 'events', 'active', 'ordered'] as const;

/** Endpoints an app may have. */
export const ENDPOINTS_LIMIT = 20;

/** Whether an endpoint wants events of this type. */
export function wants(endpoint: { events: readonly string[] }, type: string): boolean {
  return endpoint.events.includes('*') || endpoint.events.includes(type);
}

/** Seconds after the first try at which each try is made: 0 s, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. */
const scheduleSeconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** When try number `attempts` + 1 is made, counted from the first; null when all are spent. */
export function nextTryAt(firstTriedAt: Date, attempts: number): Date | null {
  const seconds = scheduleSeconds[attempts];
  return seconds === undefined ? null : new Date(firstTriedAt.getTime() + seconds * 1000);
}

/** How long a rotated secret goes on signing beside its successor. */
export const ROTATION_OVERLAP_SECONDS = 86_400;
/** An endpoint that has not answered a single try with 2xx for this long is disabled. */
export const FAILING_LIMIT_SECONDS = 5 * 86_400;

/** Attempts that fail one after another before an endpoint is paused. */
const FAILURES_BEFORE_PAUSE = 5;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How long an endpoint is paused after this many failures in a row: not at all up to four, then 1 s, twice as long after each
 * further failure, and at most 30 s. A success starts the count again.
 */
export function pauseMs(failuresInRow: number): number {
  if (failuresInRow < FAILURES_BEFORE_PAUSE) return 0;
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (failuresInRow - FAILURES_BEFORE_PAUSE));
}
