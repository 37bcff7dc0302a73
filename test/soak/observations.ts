/** What the load saw: how long each operation took and what failed, by the quarter of the soak in which it began. */
export type Observations = {
  /** Runs `work`, and keeps how long it took; a failure is kept instead, and answers undefined. */
  timed<Result>(operation: string, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Keeps a time that was measured elsewhere. */
  took(operation: string, ms: number): void;
  failed(operation: string, error: unknown): void;
  /** By operation, the times of each quarter in milliseconds. */
  spans(): ReadonlyMap<string, readonly number[][]>;
  failures(): ReadonlyMap<string, { count: number; first: string }>;
};

export const QUARTERS = 4;

/** `share` says how much of the soak is over, from 0 to 1. */
export function openObservations(share: () => number): Observations {
  const spans = new Map<string, number[][]>();
  const failures = new Map<string, { count: number; first: string }>();
  const quarter = () => Math.min(QUARTERS - 1, Math.floor(share() * QUARTERS));
  const keep = (operation: string, at: number, ms: number) => {
    const kept = spans.get(operation) ?? Array.from({ length: QUARTERS }, (): number[] => []);
    spans.set(operation, kept);
    kept[at]?.push(ms);
  };
  const failed = (operation: string, error: unknown) => {
    const first = error instanceof Error ? error.message : String(error);
    const known = failures.get(operation) ?? { count: 0, first };
    failures.set(operation, { ...known, count: known.count + 1 });
  };
  return {
    async timed(operation, work) {
      const [at, startedAt] = [quarter(), performance.now()];
      try {
        const result = await work();
        keep(operation, at, performance.now() - startedAt);
        return result;
      } catch (error) {
        failed(operation, error);
        return undefined;
      }
    },
    took: (operation, ms) => keep(operation, quarter(), ms),
    failed,
    spans: () => spans,
    failures: () => failures,
  };
}
