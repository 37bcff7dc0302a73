import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Installation } from '../servers/open-installation.ts';

type Process = { pid: number; parent: number; residentKb: number };

const parts: [name: string, pidFile: string][] = [
  ['API', 'api.pid'],
  ['worker', 'worker.pid'],
  ['indexer, without Ponder', 'indexer.pid'],
  ['node of chain 31337', 'evm-31337.json.pid'],
  ['node of chain 31338', 'evm-31338.json.pid'],
  ['Postgres', 'postgres/data/postmaster.pid'],
];

/** Memory of each process as it is now. Processes share pages. If the system reports it, a page shared by n processes counts 1/n. */
export async function measureMemory({ installation, print }: Bench): Promise<string> {
  const all = listProcesses();
  const rows: string[] = [];
  for (const [name, file] of parts) {
    const pid = Number(readFileSync(join(installation.folder, file), 'utf8').split('\n')[0]);
    const below = descendants(all, pid);
    const own = all.filter((one) => one.pid === pid);
    if (name === 'Postgres') rows.push(row(`Postgres, its ${below.length + 1} processes`, [...own, ...below]));
    else rows.push(row(name, own));
    if (file === 'indexer.pid') rows.push(row('indexer: Ponder', below));
  }
  print(rows.join('\n'));
  return `| process | memory, MiB |\n|---|---:|\n${rows.join('\n')}`;
}

/** Memory of all processes of an installation, in MiB, by name and in total. */
export function memoryOfAll({ folder }: Installation): Map<string, number> {
  const all = listProcesses();
  const pidIn = (file: string) => Number(readFileSync(join(folder, file), 'utf8').split('\n')[0]);
  const names = new Map(parts.map(([name, file]) => [pidIn(file), name]));
  const sums = new Map<string, number>();
  const add = (pid: number, inherited: string) => {
    const name = names.get(pid) ?? (inherited === 'indexer, without Ponder' ? 'Ponder' : inherited);
    const process = all.find((one) => one.pid === pid);
    if (process) sums.set(name, (sums.get(name) ?? 0) + memoryKb(process) / 1024);
    for (const child of all) if (child.parent === pid) add(child.pid, name);
  };
  add(pidIn('start.pid'), 'supervisor');
  if (!sums.has('Postgres')) add(pidIn('postgres/data/postmaster.pid'), 'Postgres');
  return sums;
}

/** Memory of a part's process, in KiB; `pidFile` as `api.pid`. */
export function partMemoryKb(installation: Installation, pidFile: string): number {
  const pid = Number(readFileSync(join(installation.folder, pidFile), 'utf8').split('\n')[0]);
  const own = listProcesses().find((one) => one.pid === pid);
  if (!own) throw new Error(`${pidFile} names no process that runs.`);
  return memoryKb(own);
}

function row(name: string, processes: Process[]): string {
  const kilobytes = processes.reduce((sum, one) => sum + memoryKb(one), 0);
  return `| ${name} | ${(kilobytes / 1024).toFixed(0)} |`;
}

function memoryKb(process: Process): number {
  const file = `/proc/${process.pid}/smaps_rollup`;
  const shared = existsSync(file) ? /^Pss:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return shared === undefined ? process.residentKb : Number(shared);
}

function listProcesses(): Process[] {
  const printed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  return printed
    .trim()
    .split('\n')
    .map((line) => {
      const [pid = 0, parent = 0, residentKb = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, residentKb };
    });
}

function descendants(all: Process[], pid: number): Process[] {
  return all.filter((one) => one.parent === pid).flatMap((one) => [one, ...descendants(all, one.pid)]);
}
