import { percentile } from '../../bench/load/load.ts';
import { evaluateMemory, type Sample } from './evaluate-memory.ts';
import { GROWS_BY_DESIGN, LIMITS, type ProcessSamples, type Soak, STEADY_TABLES } from './evaluate-soak.ts';
import type { TableSize } from './table-sizes.ts';

/** Three tables in Markdown: memory, tables and times. */
export function printSoak(soak: Soak): string {
  return [memoryTable(soak), tableTable(soak), timeTable(soak), failureList(soak)].filter(Boolean).join('\n\n');
}

function memoryTable({ processes }: Soak): string {
  const head =
    '| process | resident, MiB: highest | after collection: first | last | MiB a minute, last half | heap after collection, MiB: first | last | MiB a minute, last half | judged |\n|---|---:|---:|---:|---:|---:|---:|---:|---|';
  return [head, ...processes.map(memoryRow)].join('\n');
}

function memoryRow({ name, resident, heap, highestMb }: ProcessSamples): string {
  const memory = [highestMb.toFixed(1), ...measured(resident, LIMITS.resident), ...measured(heap, LIMITS.heap)];
  const verdicts = [evaluateMemory(resident, LIMITS.resident), evaluateMemory(heap, LIMITS.heap)].map(
    ({ verdict }) => verdict,
  );
  const verdict = verdicts.includes('leak') ? 'leak' : verdicts.includes('steady') ? 'steady' : 'too few samples';
  return `| ${name} | ${memory.join(' | ')} | ${GROWS_BY_DESIGN.includes(name) ? 'no' : verdict} |`;
}

function measured(samples: readonly Sample[], limit: number): string[] {
  const { slope } = evaluateMemory(samples, limit);
  const mb = (sample: Sample | undefined) => sample?.mb.toFixed(1) ?? '';
  return [mb(samples[0]), mb(samples.at(-1)), slope?.mbPerMinute.toFixed(2) ?? ''];
}

function tableTable({ tables }: Soak): string {
  const last = tables.at(-1) ?? [];
  const sizeAt = (sizes: readonly TableSize[], table: string) => sizes.find((size) => size.table === table);
  const grown = last.filter(({ table, rows }) => rows !== sizeAt(tables[0] ?? [], table)?.rows || rows > 1_000);
  const quarters = tables.slice(1).map((_, index) => `after quarter ${index + 1}`);
  const rows = grown
    .toSorted((left, right) => right.bytes - left.bytes)
    .map(({ table, bytes }) => {
      const counts = tables.map((sizes) => sizeAt(sizes, table)?.rows ?? 0);
      const kib = (size: TableSize | undefined) => ((size?.bytes ?? 0) / 1024).toFixed(0);
      const steady = STEADY_TABLES.includes(table) ? 'steady' : 'grows';
      return `| ${table} | ${counts.join(' | ')} | ${kib(sizeAt(tables[0] ?? [], table))} | ${(bytes / 1024).toFixed(0)} | ${steady} |`;
    });
  const head = `| table | rows at the start | ${quarters.join(' | ')} | KiB at the start | at the end | expected |`;
  return [head, `|---|${'---:|'.repeat(tables.length + 2)}---|`, ...rows].join('\n');
}

function timeTable({ spans }: Soak): string {
  const rows = [...spans].map(([operation, quarters]) => {
    const figures = quarters.map((times) =>
      times.length === 0 ? '' : [50, 95, 99].map((share) => percentile(times, share).toFixed(0)).join(' / '),
    );
    return `| ${operation} | ${quarters.reduce((sum, times) => sum + times.length, 0)} | ${figures.join(' | ')} |`;
  });
  const head = '| p50 / p95 / p99 in ms | count | quarter 1 | quarter 2 | quarter 3 | quarter 4 |';
  return [head, '|---|---:|---:|---:|---:|---:|', ...rows].join('\n');
}

function failureList({ failures }: Soak): string {
  return [...failures]
    .map(([operation, { count, first }]) => `- ${operation} failed ${count} times; first: ${first}`)
    .join('\n');
}
