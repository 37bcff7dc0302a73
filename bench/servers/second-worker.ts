import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { cpuMsOf } from '../cpu/processes.ts';
import type { Installation } from './open-installation.ts';

/**
 * `npm run worker` beside the installation's own; `kill` ends it with SIGKILL and starts another. `cpuMs` returns the CPU time of all of them
 * so far.
 */
export function startSecondWorker({ folder }: Installation): {
  kill(): void;
  cpuMs(): number;
  stop(): Promise<void>;
} {
  const launch = (): ChildProcess => {
    const command = [`--env-file=${join(folder, 'environment')}`, join(checkoutFolder, 'src', 'main.ts'), 'worker'];
    const { PATH, HOME } = process.env;
    return spawn(process.execPath, command, {
      env: { PATH, HOME, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  let worker = launch();
  let endedMs = 0;
  // Ctrl-C must not leave a worker running.
  process.once('exit', () => worker.kill('SIGKILL'));
  return {
    kill() {
      endedMs += cpuMsOf(worker.pid ?? 0);
      worker.kill('SIGKILL');
      worker = launch();
    },
    cpuMs: () => endedMs + cpuMsOf(worker.pid ?? 0),
    async stop() {
      if (worker.exitCode !== null || worker.signalCode !== null) return;
      const exit = new Promise((resolve) => worker.once('exit', resolve));
      worker.kill('SIGTERM');
      await exit;
    },
  };
}
