import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Role = 'API' | 'worker' | 'indexer' | 'Ponder' | 'Postgres' | 'supervisor' | 'reference';
/** CPU time of each process since its start in milliseconds, including its ended children. */
export type Snapshot = ReadonlyMap<number, { role: Role; cpuMs: number }>;

type Stat = { pid: number; parent: number; ticks: number };

/** Linux reports CPU time in hundredths of a second, regardless of the kernel's timer. */
const MS_PER_TICK = 10;
const PARTS: [role: Role, pidFile: string][] = [
  ['API', 'api.pid'],
  ['worker', 'worker.pid'],
  ['indexer', 'indexer.pid'],
  ['Postgres', 'postgres/data/postmaster.pid'],
];

/** CPU time of an installation's processes by part, and of the reference server `referencePid`; chain nodes are left out. */
export function takeSnapshot(folder: string, referencePid?: number): Snapshot {
  const all = readStats();
  const found = new Map<number, { role: Role; cpuMs: number }>();
  const add = (one: Stat | undefined, role: Role) => {
    if (one) found.set(one.pid, { role, cpuMs: one.ticks * MS_PER_TICK });
  };
  for (const [role, file] of PARTS) {
    const pid = Number(readFileSync(join(folder, file), 'utf8').split('\n')[0]);
    add(all.get(pid), role);
    for (const below of descendants(all, pid)) add(below, role === 'indexer' ? 'Ponder' : role);
    if (role === 'API') add(all.get(all.get(pid)?.parent ?? 0), 'supervisor');
  }
  if (referencePid !== undefined) add(all.get(referencePid), 'reference');
  return found;
}

/** CPU milliseconds of one process since its start, including its ended children; 0 if it has ended. */
export function cpuMsOf(pid: number): number {
  return (readStats().get(pid)?.ticks ?? 0) * MS_PER_TICK;
}

/** The same, including all processes that it has started and that still run. */
export function cpuMsOfFamily(pid: number): number {
  const all = readStats();
  const found = [all.get(pid), ...descendants(all, pid)];
  return found.reduce((sum, one) => sum + (one?.ticks ?? 0), 0) * MS_PER_TICK;
}

/** CPU milliseconds by part between two snapshots. A process that ended meanwhile is counted by its parent. */
export function cpuBetween(before: Snapshot, after: Snapshot): Map<Role, number> {
  const used = new Map<Role, number>();
  const add = (role: Role, ms: number) => used.set(role, (used.get(role) ?? 0) + ms);
  for (const [pid, { role, cpuMs }] of after) add(role, cpuMs - (before.get(pid)?.cpuMs ?? 0));
  // Its parent now includes its whole CPU time, of which this much was used before the first snapshot.
  for (const [pid, { role, cpuMs }] of before) if (!after.has(pid)) add(role, -cpuMs);
  return used;
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      // User and system time of the process, then of its children that ended.
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      stats.set(Number(name), { pid: Number(name), parent: Number(fields[1]), ticks });
    } catch {
      // The process ended while the folder was read.
    }
  }
  return stats;
}

function descendants(all: Map<number, Stat>, pid: number): Stat[] {
  const children = [...all.values()].filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendants(all, child.pid)]);
}
