/** The queries of usage. */
import type { DatabaseTransaction, Subscription, UsagePeriod } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import type { UsageContent } from './usage-event.ts';
import type { MeteredSubscription, UsageCalendar } from './usage-period.ts';

export type OwnedCalendar = UsageCalendar & { appId: string };

/** An event in its usage period; `index` is its place in the batch. */
export type AcceptedEvent = {
  index: number;
  appId: string;
  eventId: string;
  usagePeriodId: string;
  quantity: string;
  occurredAt: Date;
  hasTimestamp: boolean;
};

type UsageKey = { appId: string; eventId: string };

export function usageKey({ appId, eventId }: UsageKey): string {
  return `${appId} ${eventId}`;
}

/**
 * The calendars of the caller's subscriptions by their ids; those of other merchants are missing. Locks the subscriptions against
 * renewals, then their open usage periods, both in the order of their ids. What is open is read after the first lock, so that a period
 * that a renewal is closing is seen as closed.
 */
export async function readCalendars(
  tx: DatabaseTransaction,
  { scope, ids }: { scope: Scope; ids: readonly string[] },
): Promise<Map<string, OwnedCalendar>> {
  const subscriptions = await tx.$queryRaw<(MeteredSubscription & Pick<Subscription, 'appId'>)[]>`
    SELECT subscription.id, subscription.app_id AS "appId", subscription.status::text,
      subscription.current_period_start AS "currentPeriodStart", subscription.current_period_end AS "currentPeriodEnd",
      subscription.cancel_at AS "cancelAt", subscription.cancelled_at AS "cancelledAt",
      subscription.final_usage_due_at AS "finalUsageDueAt", subscription.trial_end AS "trialEnd",
      CASE WHEN price.metering IS NULL THEN NULL ELSE price.id END AS "meteredPriceId"
    FROM subscription
    JOIN app ON app.id = subscription.app_id AND app.merchant_id = ${scope.merchantId}::uuid
    JOIN product_plan_price price ON price.id = subscription.product_plan_price_id
    WHERE subscription.id = ANY(${[...ids]}::uuid[])
      AND (${scope.appId}::uuid IS NULL OR subscription.app_id = ${scope.appId}::uuid)
    ORDER BY subscription.id FOR SHARE OF subscription`;
  const owned = subscriptions.map(({ id }) => id);
  if (owned.length === 0) return new Map();
  const open = await tx.$queryRaw<
    Pick<UsagePeriod, 'id' | 'subscriptionId' | 'productPlanPriceId' | 'startsAt' | 'endsAt'>[]
  >`
    SELECT id, subscription_id AS "subscriptionId", product_plan_price_id AS "productPlanPriceId",
      starts_at AS "startsAt", ends_at AS "endsAt"
    FROM usage_period WHERE subscription_id = ANY(${owned}::uuid[]) AND closed_at IS NULL
    ORDER BY subscription_id, starts_at FOR UPDATE`;
  const closed = await tx.$queryRaw<{ subscriptionId: string; until: Date }[]>`
    SELECT subscription_id AS "subscriptionId", max(ends_at) AS until FROM usage_period
    WHERE subscription_id = ANY(${owned}::uuid[]) AND closed_at IS NOT NULL GROUP BY subscription_id`;
  const closedUntil = new Map(closed.map(({ subscriptionId, until }) => [subscriptionId, until]));
  return new Map(
    subscriptions.map(({ appId, ...subscription }) => {
      const ofIt = open.filter(({ subscriptionId }) => subscriptionId === subscription.id);
      return [
        subscription.id,
        { appId, subscription, open: ofIt, closedUntil: closedUntil.get(subscription.id) ?? null },
      ];
    }),
  );
}

/**
 * Inserts the events whose ids are new and adds them to the totals of their usage periods, by one statement. They are inserted in the
 * order of their ids, so that two batches never wait for each other. Returns the keys of the new events, and their subscriptions.
 */
export async function insertUsage(
  tx: DatabaseTransaction,
  { events, now }: { events: readonly AcceptedEvent[]; now: Date },
): Promise<{ keys: string[]; subscriptionIds: string[] }> {
  if (events.length === 0) return { keys: [], subscriptionIds: [] };
  const [row] = await tx.$queryRaw<{ keys: UsageKey[]; subscriptionIds: string[] }[]>`
    WITH given AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(events)}::json) AS given("index" int, "appId" uuid, "eventId" text,
        "usagePeriodId" uuid, quantity numeric, "occurredAt" timestamptz, "hasTimestamp" boolean)
    ), inserted AS (
      INSERT INTO usage_event (app_id, event_id, usage_period_id, quantity, occurred_at, has_timestamp, created_at)
      SELECT "appId", "eventId", "usagePeriodId", quantity, "occurredAt", "hasTimestamp", ${now}::timestamptz
      FROM given ORDER BY "appId", "eventId", "index"
      ON CONFLICT (app_id, event_id) DO NOTHING
      RETURNING app_id, event_id, usage_period_id, quantity
    ), sums AS (
      SELECT usage_period_id, sum(quantity) AS quantity, count(*)::int AS events FROM inserted GROUP BY usage_period_id
    ), totals AS (
      UPDATE usage_period period SET quantity = period.quantity + sums.quantity, event_count = period.event_count + sums.events
      FROM sums WHERE period.id = sums.usage_period_id
      RETURNING period.subscription_id
    )
    SELECT
      (SELECT coalesce(json_agg(json_build_object('appId', app_id, 'eventId', event_id)), '[]'::json) FROM inserted) AS keys,
      (SELECT coalesce(json_agg(DISTINCT subscription_id), '[]'::json) FROM totals) AS "subscriptionIds"`;
  return { keys: (row?.keys ?? []).map(usageKey), subscriptionIds: row?.subscriptionIds ?? [] };
}

/** What was recorded under each of the ids, by `usageKey`. */
export async function knownEvents(
  tx: DatabaseTransaction,
  keys: readonly UsageKey[],
): Promise<Map<string, UsageContent>> {
  if (keys.length === 0) return new Map();
  const rows = await tx.$queryRaw<(UsageKey & UsageContent)[]>`
    SELECT event.app_id AS "appId", event.event_id AS "eventId", period.subscription_id AS "subscriptionId",
      event.quantity::text AS quantity, CASE WHEN event.has_timestamp THEN event.occurred_at END AS timestamp
    FROM json_to_recordset(${JSON.stringify(keys)}::json) AS given("appId" uuid, "eventId" text)
    JOIN usage_event event ON event.app_id = given."appId" AND event.event_id = given."eventId"
    JOIN usage_period period ON period.id = event.usage_period_id`;
  return new Map(rows.map((row) => [usageKey(row), row]));
}
