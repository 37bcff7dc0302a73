import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { cpuBetween, takeSnapshot } from '../cpu/processes.ts';
import { memoryOfAll } from './measure-memory.ts';

const READING_MS = 30_000;

/** CPU time and memory of each process of an idle installation. Without npm itself. Linux only. */
export async function measureRest({ installation, sizes, print }: Bench): Promise<string> {
  await delay(sizes.restMs);
  const snapshot = () => takeSnapshot(installation.folder, process.pid);
  const [before, startedAt] = [snapshot(), performance.now()];
  await delay(READING_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = [...cpuBetween(before, snapshot())].filter(([role]) => role !== 'reference');
  const memory = [...memoryOfAll(installation)];
  const cpuRows = used.map(([role, ms]) => `| ${role} | ${(ms / seconds).toFixed(1)} |`);
  const memoryRows = memory.map(([name, mebibytes]) => `| ${name} | ${mebibytes.toFixed(0)} |`);
  const all = (values: readonly (readonly [string, number])[]) => values.reduce((sum, [, value]) => sum + value, 0);
  const tables = [
    `| CPU at rest, ${(sizes.restMs / 1000).toFixed(0)} s after the start | ms a second |\n|---|---:|\n${cpuRows.join('\n')}\n| together | ${(all(used) / seconds).toFixed(1)} |`,
    `| memory at rest (PSS) | MiB |\n|---|---:|\n${memoryRows.join('\n')}\n| together | ${all(memory).toFixed(0)} |`,
  ].join('\n\n');
  print(tables);
  return tables;
}
