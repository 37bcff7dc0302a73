/** The measurements of a soak, and whether it passes. */
import { evaluateMemory, type Sample } from './evaluate-memory.ts';
import { QUARTERS } from './observations.ts';
import { DUE_JOBS, type TableSize } from './table-sizes.ts';

/** `resident` is measured after garbage collections. `highestMb` is the maximum resident memory before one. */
export type ProcessSamples = { name: string; heap: Sample[]; resident: Sample[]; highestMb: number };

export type Soak = {
  minutes: number;
  processes: readonly ProcessSamples[];
  /** The sizes at the start and at the end of each quarter. */
  tables: readonly (readonly TableSize[])[];
  spans: ReadonlyMap<string, readonly (readonly number[])[]>;
  failures: ReadonlyMap<string, { count: number; first: string }>;
};

/** The maximum slopes in the last half, in MiB per minute. A process that exceeds them has a leak. */
export const LIMITS = { heap: 0.1, resident: 0.5 };

/** Processes that store the whole chain or database, so they grow by design. They are only reported. */
export const GROWS_BY_DESIGN = ['node of chain 31337', 'node of chain 31338', 'Postgres'];

/**
 * Tables that contain only work in progress or rows that expire. At a steady load, they have as many rows at the end as after the first
 * quarter. Every other table keeps data that merchants may request, and grows with the number of payments.
 */
export const STEADY_TABLES = [
  DUE_JOBS,
  'queue_worker',
  'rate_bucket',
  'chain_cursor',
  'event_cursor',
  'operator_nonce',
  'ponder_build.chain_progress',
];
/** The number of rows that a steady table may gain after the first quarter, because the amount of work in progress varies. */
const STEADY_ROWS = 200;

/**
 * An operation counts as slower at the end if its median exceeds that of the first quarter by this factor and by at least 100 ms, and the
 * machine itself has not become slower by the same factor.
 */
const SLOWER_TIMES = 3;
const SLOWER_MS = 100;
/** An operation with minimal work, whose duration depends only on the machine. */
export const MACHINE = 'the machine itself (SELECT 1)';
/** The maximum share of failed operations, to allow for interruptions of the machine. */
const FAILED_SHARE = 0.01;

/** Describes each fault in a sentence. Empty if the soak passes. */
export function faultsOf(soak: Soak): string[] {
  return [...memoryFaults(soak), ...tableFaults(soak), ...latencyFaults(soak), ...failureFaults(soak)];
}

function memoryFaults({ processes }: Soak): string[] {
  return processes
    .filter(({ name }) => !GROWS_BY_DESIGN.includes(name))
    .flatMap(({ name, heap, resident }) => [
      ...leakOf(`The heap of ${name}`, heap, LIMITS.heap),
      ...leakOf(`The resident memory of ${name}`, resident, LIMITS.resident),
    ]);
}

function leakOf(what: string, samples: readonly Sample[], limit: number): string[] {
  const { slope, verdict } = evaluateMemory(samples, limit);
  if (verdict !== 'leak' || !slope) return [];
  return [`${what} grew by ${slope.mbPerMinute.toFixed(2)} MiB a minute in the last half; ${limit} are allowed.`];
}

function tableFaults({ tables }: Soak): string[] {
  const [, afterFirst = [], ...later] = tables;
  const last = later.at(-1);
  if (!last) return [];
  return STEADY_TABLES.flatMap((table) => {
    const rows = (sizes: readonly TableSize[]) => sizes.find((size) => size.table === table)?.rows ?? 0;
    const grown = rows(last) - rows(afterFirst);
    return grown > STEADY_ROWS ? [`${table} gained ${grown} rows after the first quarter and should not grow.`] : [];
  });
}

function latencyFaults({ spans }: Soak): string[] {
  const ends = (quarters: readonly (readonly number[])[]) =>
    [median(quarters[0] ?? []), median(quarters[QUARTERS - 1] ?? [])] as const;
  const [machineFirst, machineLast] = ends(spans.get(MACHINE) ?? []);
  const machineTimes = Math.max(1, machineLast / machineFirst || 1);
  return [...spans].flatMap(([operation, quarters]) => {
    const [first, last] = ends(quarters);
    const isSlower = last > first * SLOWER_TIMES * machineTimes && last > first + SLOWER_MS;
    return isSlower
      ? [`“${operation}” took ${first.toFixed(0)} ms at first and ${last.toFixed(0)} ms at the end.`]
      : [];
  });
}

function failureFaults({ spans, failures }: Soak): string[] {
  const done = [...spans.values()].reduce(
    (sum, quarters) => sum + quarters.reduce((all, one) => all + one.length, 0),
    0,
  );
  const failed = [...failures.values()].reduce((sum, { count }) => sum + count, 0);
  if (failed <= done * FAILED_SHARE) return [];
  const kinds = [...failures].map(([operation, { count, first }]) => `${operation} (${count}, first: ${first})`);
  return [`${failed} operations failed beside ${done} that did not: ${kinds.join('; ')}`];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
