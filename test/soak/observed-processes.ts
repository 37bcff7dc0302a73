/** The processes of an installation, and the memory of each. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import type { Inspector } from './inspect-heap.ts';

export type Observed = { name: string; pids: number[]; hasProbe: boolean };

/** For several processes, the sum of their memory. Pages that they share are counted more than once. */
export type MemoryReading = {
  /** Resident memory before a garbage collection, in MiB. Includes freed pages that were not returned to the system. */
  foundMb: number;
  /** Resident memory after a forced garbage collection, in MiB. Equal to `foundMb` if there is no probe. */
  residentMb: number;
  /** JavaScript objects and buffers after a forced garbage collection, in MiB. Null if there is no probe. */
  heapMb: number | null;
};

export const PONDER = 'Ponder';
const PROBE_LIMIT_MS = 60_000;
const MB = 1024 * 1024;

const parts: [name: string, pidFile: string][] = [
  ['supervisor', 'start.pid'],
  ['API', 'api.pid'],
  ['worker', 'worker.pid'],
  ['indexer', 'indexer.pid'],
  ['node of chain 31337', 'evm-31337.json.pid'],
  ['node of chain 31338', 'evm-31338.json.pid'],
  ['Postgres', 'postgres/data/postmaster.pid'],
];

const usageSchema = z.object({ heapUsed: z.number(), external: z.number() });

/** Returns the current processes. A restarted part has a new process. */
export function observedProcesses({ folder, probes }: { folder: string; probes: string }): Observed[] {
  const parents = listParents();
  return parts.flatMap(([name, file]) => {
    const path = join(folder, file);
    const pid = existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : 0;
    if (!parents.has(pid)) return [];
    const hasProbe = existsSync(probeOf(probes, pid));
    const below = descendants(parents, pid);
    if (name === 'Postgres') return { name, pids: [pid, ...below], hasProbe };
    const own = { name, pids: [pid], hasProbe };
    return name === 'indexer' ? [own, { name: PONDER, pids: below, hasProbe: false }] : own;
  });
}

/** Measures a process after collecting its garbage through its probe, or through the inspector for Ponder. */
export async function readMemory(
  observed: Observed,
  { probes, inspector }: { probes: string; inspector: Inspector | null },
): Promise<MemoryReading> {
  const [pid] = observed.pids;
  const foundMb = residentMb(observed.pids);
  let heapMb: number | null = null;
  if (observed.name === PONDER) heapMb = (await inspector?.heapMb().catch(() => null)) ?? null;
  else if (observed.hasProbe && pid !== undefined) {
    const usage = await ask(probeOf(probes, pid), { method: 'GET' });
    heapMb = (usage.heapUsed + usage.external) / MB;
  }
  return { foundMb, residentMb: residentMb(observed.pids), heapMb };
}

export function residentMb(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  const printed = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' });
  return printed.split('\n').reduce((sum, line) => sum + Number(line) / 1024, 0);
}

/** Writes a heap snapshot, which blocks the process for some seconds. */
export async function writeSnapshot(
  observed: Observed,
  { probes, file }: { probes: string; file: string },
): Promise<void> {
  const [pid] = observed.pids;
  if (observed.hasProbe && pid !== undefined) await ask(probeOf(probes, pid), { method: 'POST', body: file });
}

function probeOf(probes: string, pid: number): string {
  return join(probes, `${pid}.sock`);
}

function ask(socketPath: string, call: { method: string; body?: string }): Promise<z.infer<typeof usageSchema>> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: call.method, timeout: PROBE_LIMIT_MS }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const usage = usageSchema.safeParse(JSON.parse(text));
        if (usage.success) resolve(usage.data);
        else reject(usage.error);
      });
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${socketPath} does not respond.`)));
    sent.end(call.body);
  });
}

function listParents(): Map<number, number> {
  const printed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const lines = printed.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return [pid, parent];
    }),
  );
}

function descendants(parents: ReadonlyMap<number, number>, pid: number): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(parents, child)]);
}
