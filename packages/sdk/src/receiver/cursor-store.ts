/**
 * Where a receiver remembers how far it has come. Write one for your own database after `postgresStore`: a table with one
 * number, read under a lock that is held until the work and the new number are committed together.
 */
export type CursorStore<Transaction = undefined> = {
  /** The sequence number of the last event that was handled; 0 before the first. */
  load(): Promise<number>;
  /**
   * Runs `work` and then stores `to`, if the stored number is `from`; otherwise it does nothing and resolves to false. If
   * `work` rejects, so does this, and the number stays.
   */
  advance(step: { from: number; to: number }, work: (transaction: Transaction) => Promise<void>): Promise<boolean>;
};

/** Forgets everything when the process ends: for tests. Then it begins after `startAfter` again, 0 by default. */
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
