/**
 * A consumer follows every app's sequence by a cursor of its own, `event_consumer`: the number of the last event that it has
 * handled. It handles the events of one app in their order, in one process at a time, and those of several apps side by side.
 *
 * - `webhooks` queues deliveries, and advances in the same statement.
 * - `reactions` runs what other rooms do after an event. Their transactions are their own, because each appends events last;
 *   they are idempotent by the event. The cursor advances after them, and a killed process's last events are reacted to again.
 */

/** What a turn came to. */
export type Turn = {
  /** Whether events of the app are left that could be handled at once. */
  hasMore: boolean;
  /** Whether the cursor moved. */
  advanced: boolean;
  /** After which time an event whose handling failed is tried again. */
  retryMs?: number;
};

export const NOTHING: Turn = { hasMore: false, advanced: false };

export type Consumer = {
  name: 'webhooks' | 'reactions';
  /**
   * Handles the next events of an app, at most a batch. Does nothing where there are none, where another process is at it,
   * or before the time of the next attempt. Begins no further event once `signal` is aborted.
   */
  turn(appId: string, signal?: AbortSignal): Promise<Turn>;
};

/** Events that one turn handles at most. */
export const BATCH = 100;
