/**
 * A consumer follows every app's sequence with a cursor of its own, `event_consumer`: the number of the last event that it has
 * handled. It handles the events of one app in order, in one process at a time, and those of several apps concurrently.
 *
 * - `webhooks` queues deliveries and advances its cursor in the same statement.
 * - `reactions` runs what other modules do after an event. Each has its own transaction, because each appends events last, and is
 *   idempotent per event. The cursor advances afterwards, so the last events of a killed process are handled again.
 */

/** The result of a turn. */
export type Turn = {
  /** Whether more events of the app can be handled at once. */
  hasMore: boolean;
  /** Whether the cursor moved. */
  advanced: boolean;
  /** The delay before an event whose handling failed is retried. */
  retryMs?: number;
};

export const NOTHING: Turn = { hasMore: false, advanced: false };

export type Consumer = {
  name: 'webhooks' | 'reactions';
  /**
   * Handles the next events of an app, at most one batch. Does nothing if there are none, if another process is handling them, or
   * before the next attempt is due. Starts no further event once `signal` is aborted.
   */
  turn(appId: string, signal?: AbortSignal): Promise<Turn>;
};

/** The maximum number of events per turn. */
export const BATCH = 100;
