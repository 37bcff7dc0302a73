import type { Database } from '../../../prisma/client.ts';

/** The state of an event consumer across all apps. */
export type ConsumerSigns = {
  consumer: string;
  /** Number of events that it has not handled yet. */
  events: number;
  /** Age of the oldest unhandled event. */
  oldestSeconds: number;
  /** Number of apps whose next event it has failed to handle. */
  failing: number;
};

/** A consumer whose oldest unhandled event is older than this is not run by any worker. */
const BEHIND_LIMIT_SECONDS = 120;

/** Returns every consumer that any app has, including those that are not behind. */
export async function readConsumers(database: Database): Promise<ConsumerSigns[]> {
  return await database.$queryRaw<ConsumerSigns[]>`
    SELECT consumer.consumer, coalesce(sum(cursor.last_sequence - consumer.position), 0)::int AS events,
      greatest(0, coalesce(extract(epoch FROM gateway_now() - min(next.created_at)), 0))::float8 AS "oldestSeconds",
      count(*) FILTER (WHERE consumer.attempts > 0)::int AS failing
    FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
    LEFT JOIN event next ON consumer.position < cursor.last_sequence
      AND next.app_id = consumer.app_id AND next.sequence = consumer.position + 1
    GROUP BY consumer.consumer ORDER BY consumer.consumer`;
}

export function consumerFaults(consumers: readonly ConsumerSigns[]): string[] {
  return consumers
    .filter(({ oldestSeconds }) => oldestSeconds > BEHIND_LIMIT_SECONDS)
    .map(
      ({ consumer, events, oldestSeconds }) =>
        `The consumer ${consumer} is ${events} events behind, the oldest for ${Math.round(oldestSeconds)} s: is a worker running?`,
    );
}
