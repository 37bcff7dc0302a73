/**
 * Stores the sequence number up to which a receiver has handled events. To write one for your own database, follow
 * `postgresStore`: a table with one number, read under a lock that is held until the work and the new number are committed together.
 */
export type CursorStore<Transaction = undefined> = {
  /** The sequence number of the last event that was handled; 0 before the first. */
  load(): Promise<number>;
  /**
   * If the stored number is `from`, runs `work` and then stores `to`; otherwise does nothing and resolves to false. If `work`
   * rejects, rejects as well and leaves the number unchanged.
   */
  advance(step: { from: number; to: number }, work: (transaction: Transaction) => Promise<void>): Promise<boolean>;
};

/** A store in memory, for tests. A new process starts again after `startAfter`, 0 by default. */
export function memoryStore({ startAfter = 0 }: { startAfter?: number } = {}): CursorStore {
  let sequence = startAfter;
  return {
    load: async () => sequence,
    async advance({ from, to }, work) {
      if (sequence !== from) return false;
      await work(undefined);
      sequence = to;
      return true;
    },
  };
}
