/** Helpers for the processes of a local installation: checking whether they are alive, and stopping them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether the process is running. A process that has ended and waits for its parent (a zombie) is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return process.platform !== 'linux';
  }
}

/**
 * Whether the process is alive and was started with `argument` in its command line. A pid that was read from a file may belong to another
 * program by now.
 */
export function isRunningWith(pid: number, argument: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
  } catch {
    const listed = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return listed.status === 0 && listed.stdout.includes(argument);
  }
}

/** Sends `signal`, waits until the process is gone, and kills it after `limitMs`. */
export async function stopProcess(pid: number, signal: NodeJS.Signals, limitMs: number): Promise<void> {
  if (!trySignal(pid, signal)) return;
  const deadline = Date.now() + limitMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) trySignal(pid, 'SIGKILL');
    if (Date.now() > deadline + 5000) throw new Error(`Process ${pid} did not end.`);
    await delay(20);
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
