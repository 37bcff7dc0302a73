/** The processes of an installation, found by its pid files. Reads /proc, so it requires Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../src/local/child-process.ts';

export const parts = ['api', 'worker', 'indexer', 'chain', 'postgres'] as const;
export type PartName = (typeof parts)[number];

/** The current process of the part. Undefined if it is not running. `chainId` selects the chain. */
export function processOf(folder: string, request: { part: PartName; chainId: number }): number | undefined {
  const files: Record<PartName, string> = {
    api: 'api.pid',
    worker: 'worker.pid',
    indexer: 'indexer.pid',
    chain: `evm-${request.chainId}.json.pid`,
    postgres: join('postgres', 'data', 'postmaster.pid'),
  };
  try {
    const pid = Number(readFileSync(join(folder, files[request.part]), 'utf8').split('\n')[0]);
    return pid > 0 && isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** The process and all its descendants. */
export function familyOf(pid: number): number[] {
  const parents = new Map(allProcesses().map((one) => [one, parentOf(one)]));
  const family = [pid];
  for (let index = 0; index < family.length; index += 1) {
    for (const [child, parent] of parents) if (parent === family[index]) family.push(child);
  }
  return family;
}

/** Running processes whose command line or environment contains the folder. These include all that were started from it. */
export function processesNaming(folder: string): number[] {
  return allProcesses().filter((pid) => pid !== process.pid && isAlive(pid) && names(pid, folder));
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

function allProcesses(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function names(pid: number, folder: string): boolean {
  try {
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder));
  } catch {
    return false;
  }
}
