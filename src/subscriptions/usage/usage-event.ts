/** The input of recording usage, and the outcome of each event. */
import { z } from 'zod';
import { meteredQuantitySchema, scaled } from '../../catalog/metering.ts';

const EVENTS_LIMIT = 1000;
const ID_LENGTH = 255;

const eventSchema = z.object({
  eventId: z
    .string()
    .min(1, `between 1 and ${ID_LENGTH} characters`)
    .max(ID_LENGTH, `between 1 and ${ID_LENGTH} characters`)
    // Postgres stores no NUL, and lone surrogates cannot be encoded as UTF-8.
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'without NUL characters and lone surrogates'),
  subscriptionId: z.guid(),
  quantity: meteredQuantitySchema,
  timestamp: z.date().nullish(),
});

export const recordUsageSchema = z.object({
  events: z.array(eventSchema).min(1, 'at least one event').max(EVENTS_LIMIT, `at most ${EVENTS_LIMIT} events`),
});
export type UsageEventInput = z.infer<typeof eventSchema>;

/** Why an event is not recorded. Codes are API: never renamed, never reused. */
export const usageFaults = [
  'NOT_FOUND',
  'CONFLICT',
  'NOT_METERED',
  'NOT_STARTED',
  'PERIOD_CLOSED',
  'SUBSCRIPTION_ENDED',
] as const;
export type UsageFault = (typeof usageFaults)[number];

export const usageOutcomes = ['ACCEPTED', 'DUPLICATE', 'REJECTED'] as const;
export type UsageOutcome = (typeof usageOutcomes)[number];

export type UsageError = { code: UsageFault; param: string; message: string };

export type UsageResult = { eventId: string; status: UsageOutcome; error: UsageError | null };

/** The outcomes of a batch, in the order of its events, and their counts. */
export type RecordedUsage = { results: UsageResult[]; accepted: number; duplicates: number; rejected: number };

/** What a repetition of an event must have in common with the first. */
export type UsageContent = {
  subscriptionId: string;
  /** A decimal string in plain digits. */
  quantity: string;
  /** Null if the request had none. */
  timestamp: Date | null;
};

/** The first field in which a repetition differs from the event; null if it is the same event. */
export function differingField(first: UsageContent, again: UsageContent): keyof UsageContent | null {
  if (first.subscriptionId !== again.subscriptionId) return 'subscriptionId';
  if (scaled(first.quantity) !== scaled(again.quantity)) return 'quantity';
  return first.timestamp?.getTime() === again.timestamp?.getTime() ? null : 'timestamp';
}
