/** The durations and failures of the load's operations, by the quarter of the soak in which they began. */
export type Observations = {
  /** Runs `work` and records its duration. If it fails, records the failure instead and returns undefined. */
  timed<Result>(operation: string, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Records a duration that was measured elsewhere. */
  took(operation: string, ms: number): void;
  failed(operation: string, error: unknown): void;
  /** The durations of each operation in milliseconds, by quarter. */
  spans(): ReadonlyMap<string, readonly number[][]>;
  failures(): ReadonlyMap<string, { count: number; first: string }>;
};

export const QUARTERS = 4;

/** `share` returns the elapsed fraction of the soak, from 0 to 1. */
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
