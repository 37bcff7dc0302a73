/** What is common to the processes that a local installation runs: are they alive, and ending them. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether the process runs. One that ended and waits for its parent (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return process.platform !== 'linux';
  }
}

/** Sends `signal`, waits until the process is gone, and kills it after `limitMs`. */
export async function stopProcess(pid: number, signal: NodeJS.Signals, limitMs: number): Promise<void> {
  if (!trySignal(pid, signal)) return;
  const deadline = Date.now() + limitMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) trySignal(pid, 'SIGKILL');
    if (Date.now() > deadline + 5000) throw new Error(`Process ${pid} does not end.`);
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
