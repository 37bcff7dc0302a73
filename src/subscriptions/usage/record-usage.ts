import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { type FieldFault, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { requireBillable } from './require-billable.ts';
import { type AcceptedEvent, insertUsage, knownEvents, type OwnedCalendar, readCalendars, usageKey } from './store.ts';
import {
  differingField,
  type RecordedUsage,
  type UsageContent,
  type UsageError,
  type UsageEventInput,
  type UsageResult,
} from './usage-event.ts';
import { type NewUsagePeriod, type UsagePlace, usagePlace } from './usage-period.ts';

/** How far a timestamp may be in the future: clocks differ. */
const SKEW_MS = 300_000;

/** The number of usage periods that may have to be created one after the other: periods follow one another. */
const ROUNDS = 4;

/** `appId` is null if the subscription is not the caller's. */
type Placed = { event: UsageEventInput; at: Date; place: UsagePlace; appId: string | null };

/**
 * Records usage events independently: a rejected event does not delay the others. An event id is recorded at most once per app; a
 * repetition with the same content is a DUPLICATE, and one with other content a CONFLICT. The usage periods' running totals are updated by
 * the statement that inserts the events. An event without a timestamp happened now. Appends no event.
 *
 * Throws VALIDATION_ERROR for timestamps in the future, and as `requireBillable` does; then nothing is recorded.
 */
export async function recordUsage(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; events: readonly UsageEventInput[]; idempotency?: IdempotencyRequest | undefined },
): Promise<RecordedUsage> {
  const { scope, events } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const now = world.clock.now();
    requireNotInFuture(events, now);
    return await write((tx) => record(tx, { scope, events, now }));
  });
}

function requireNotInFuture(events: readonly UsageEventInput[], now: Date): void {
  const faults: FieldFault[] = events.flatMap(({ timestamp }, index) =>
    timestamp && timestamp.getTime() > now.getTime() + SKEW_MS
      ? [{ param: `events[${index}].timestamp`, message: `is more than ${SKEW_MS / 1000} seconds in the future` }]
      : [],
  );
  if (faults.length > 0) throw invalid(faults);
}

async function record(
  tx: DatabaseTransaction,
  { scope, events, now }: { scope: Scope; events: readonly UsageEventInput[]; now: Date },
): Promise<RecordedUsage> {
  const placed = await placeEvents(tx, { scope, events, now });
  const inserted = await insertUsage(tx, { events: accepted(placed), now });
  await requireBillable(tx, { recorded: inserted.subscriptionIds, events, now });
  // Of several events of the batch with one id, the first was inserted.
  const isNew = new Set(inserted.keys);
  const recorded = placed.map((one) => one.place.kind === 'PERIOD' && isNew.delete(keyOf(one)));
  const others = placed.filter((_one, index) => !recorded[index]);
  const known = await knownEvents(
    tx,
    others.flatMap(({ appId, event: { eventId } }) => (appId === null ? [] : [{ appId, eventId }])),
  );
  const results = placed.map((one, index): UsageResult => {
    if (recorded[index]) return { eventId: one.event.eventId, status: 'ACCEPTED', error: null };
    return repeated(one, { index, first: known.get(keyOf(one)) ?? null });
  });
  const count = (status: UsageResult['status']) => results.filter((result) => result.status === status).length;
  return { results, accepted: count('ACCEPTED'), duplicates: count('DUPLICATE'), rejected: count('REJECTED') };
}

/** An event that was not inserted: known already, or rejected. */
function repeated(
  { event, place }: Placed,
  { index, first }: { index: number; first: UsageContent | null },
): UsageResult {
  const { eventId } = event;
  const reject = (error: UsageError): UsageResult => ({
    eventId,
    status: 'REJECTED',
    error: { ...error, param: `events[${index}].${error.param}` },
  });
  if (first === null) {
    if (place.kind === 'REJECTED') return reject(place.error);
    throw new Error(`The usage event ${eventId} was neither recorded nor known.`);
  }
  const differing = differingField(first, { ...event, timestamp: event.timestamp ?? null });
  if (differing === null) return { eventId, status: 'DUPLICATE', error: null };
  const message = `An event with this id was recorded with another ${differing}.`;
  return reject({ code: 'CONFLICT', param: differing, message });
}

/** Finds the usage period of each event, and creates those that are missing. */
async function placeEvents(
  tx: DatabaseTransaction,
  { scope, events, now }: { scope: Scope; events: readonly UsageEventInput[]; now: Date },
): Promise<Placed[]> {
  const ids = [...new Set(events.map(({ subscriptionId }) => subscriptionId))];
  for (let round = 0; round < ROUNDS; round += 1) {
    const calendars = await readCalendars(tx, { scope, ids });
    const placed = events.map((event) => place(calendars, event, now));
    const missing = new Map(placed.flatMap((one) => (one.place.kind === 'NEW' ? [periodEntry(one.place.period)] : [])));
    if (missing.size === 0) return placed;
    await createPeriods(tx, [...missing.values()]);
  }
  throw new Error('The usage periods of a batch were not created.');
}

function periodEntry(period: NewUsagePeriod): [string, NewUsagePeriod] {
  return [`${period.subscriptionId} ${period.startsAt.getTime()}`, period];
}

function place(calendars: ReadonlyMap<string, OwnedCalendar>, event: UsageEventInput, now: Date): Placed {
  const calendar = calendars.get(event.subscriptionId);
  const at = event.timestamp ?? now;
  if (!calendar) {
    const error: UsageError = { code: 'NOT_FOUND', param: 'subscriptionId', message: 'No such subscription.' };
    return { event, at, appId: null, place: { kind: 'REJECTED', error } };
  }
  return { event, at, appId: calendar.appId, place: usagePlace(calendar, at) };
}

async function createPeriods(tx: DatabaseTransaction, periods: readonly NewUsagePeriod[]): Promise<void> {
  const inOrder = periods.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1));
  await tx.usagePeriod.createMany({
    data: inOrder.map((period) => ({ id: newId(), ...period })),
    skipDuplicates: true,
  });
}

function accepted(placed: readonly Placed[]): AcceptedEvent[] {
  return placed.flatMap(({ event, at, place: found, appId }, index) => {
    if (found.kind !== 'PERIOD' || appId === null) return [];
    const { eventId, quantity, timestamp } = event;
    const hasTimestamp = timestamp instanceof Date;
    return [{ index, appId, eventId, usagePeriodId: found.id, quantity, occurredAt: at, hasTimestamp }];
  });
}

function keyOf({ appId, event }: Placed): string {
  return usageKey({ appId: appId ?? '', eventId: event.eventId });
}
