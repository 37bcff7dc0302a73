/**
 * A webhook endpoint receives an app's events as described by Standard Webhooks. The merchant's 2xx is the authority for
 * "delivered". An endpoint that answers 410, or fails for days, is disabled.
 *
 * First attempts start in sequence order, one at a time. A failed delivery waits for its retry while later ones are sent, unless
 * the endpoint is `ordered`: then nothing is sent before every earlier delivery was delivered or given up. After five consecutive
 * failures the endpoint is paused, for at most half a minute at a time.
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

/** The fields of an endpoint that the audit log records, without its secret. */
export const endpointFacts = ['url', 'events', 'active', 'ordered'] as const;

/** The maximum number of endpoints per app. */
export const ENDPOINTS_LIMIT = 20;

/** Whether an endpoint is subscribed to events of this type. */
export function wants(endpoint: { events: readonly string[] }, type: string): boolean {
  return endpoint.events.includes('*') || endpoint.events.includes(type);
}

/** The delay of each attempt after the first one, in seconds: 0 s, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. */
const scheduleSeconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** When attempt number `attempts` + 1 is made, relative to the first; null if none is left. */
export function nextTryAt(firstTriedAt: Date, attempts: number): Date | null {
  const seconds = scheduleSeconds[attempts];
  return seconds === undefined ? null : new Date(firstTriedAt.getTime() + seconds * 1000);
}

/** How long a rotated secret continues to sign beside its successor. */
export const ROTATION_OVERLAP_SECONDS = 86_400;
/** An endpoint without a single 2xx response for this long is disabled. */
export const FAILING_LIMIT_SECONDS = 5 * 86_400;

/** The number of consecutive failures after which an endpoint is paused. */
const FAILURES_BEFORE_PAUSE = 5;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How long an endpoint is paused after this many consecutive failures: not at all for up to four, then 1 s, doubling with each
 * further failure up to 30 s. A success resets the count.
 */
export function pauseMs(failuresInRow: number): number {
  if (failuresInRow < FAILURES_BEFORE_PAUSE) return 0;
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (failuresInRow - FAILURES_BEFORE_PAUSE));
}
