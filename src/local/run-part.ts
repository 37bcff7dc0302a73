import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { isRunningWith, stopProcess } from './child-process.ts';
import { openPrivateLog, underPrivateUmask, writePrivateFile } from './private-files.ts';

export type Part = {
  name: string;
  /** Pid of the running process, if any. */
  pid(): number | undefined;
  /** Asks the process to stop, waits, and kills what is left of its process group. */
  stop(): Promise<void>;
};

export type RunPartOptions = {
  name: string;
  /** Arguments to Node. The first is the script. */
  command: [script: string, ...rest: string[]];
  folder: string;
  environment: Record<string, string | undefined>;
  logFile: string;
  pidFile: string;
  /** Delay before the first restart. Defaults to half a second. */
  firstPauseMs?: number;
  /** Receives a message for each crash, and the reason when the part is given up. */
  log: (line: string) => void;
  onGivenUp: () => void;
};

const stopLimitMs = 20_000;
const crashLimit = 5;
const crashSpanMs = 60_000;

/**
 * Runs one part of the program as a separate process and restarts it when it ends by itself: after half a second, then twice that, and so
 * on, at most five times a minute.
 */
export async function runPart(options: RunPartOptions): Promise<Part> {
  await endOrphan({ pidFile: options.pidFile, script: options.command[0] });
  const crashes: number[] = [];
  let stopping = false;
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;

  const launch = () => {
    child = spawnPart(options);
    child.once('error', (error) => crashed(error.message));
    child.once('exit', (code, signal) => crashed(signal ?? `exit code ${code}`));
  };
  const crashed = (reason: string) => {
    killGroup(child?.pid);
    if (stopping || timer !== undefined) return;
    const now = Date.now();
    while (crashes[0] !== undefined && now - crashes[0] > crashSpanMs) crashes.shift();
    crashes.push(now);
    if (crashes.length > crashLimit) {
      stopping = true;
      options.log(
        `The ${options.name} exited too often (${reason}). See ${options.logFile}:\n${lastLines(options.logFile)}`,
      );
      options.onGivenUp();
      return;
    }
    const pauseMs = (options.firstPauseMs ?? 500) * 2 ** (crashes.length - 1);
    options.log(`The ${options.name} exited (${reason}) and is restarted in ${pauseMs / 1000} s.`);
    timer = setTimeout(() => {
      timer = undefined;
      launch();
    }, pauseMs);
  };
  launch();
  return {
    name: options.name,
    pid: () => (child?.exitCode === null && child.signalCode === null ? child.pid : undefined),
    async stop() {
      stopping = true;
      clearTimeout(timer);
      const running = child;
      const pid = running?.pid;
      if (running && pid !== undefined && running.exitCode === null && running.signalCode === null) {
        const exited = new Promise((resolve) => running.once('exit', resolve));
        await stopProcess(pid, 'SIGTERM', stopLimitMs);
        await exited;
      }
      killGroup(pid);
      rmSync(options.pidFile, { force: true });
    },
  };
}

function spawnPart(options: RunPartOptions): ChildProcess {
  const log = openPrivateLog(options.logFile);
  const child = underPrivateUmask(() =>
    spawn(process.execPath, options.command, {
      cwd: options.folder,
      env: options.environment,
      // The process leads its own group, so that Ctrl-C in a terminal reaches it through stop(), in order.
      detached: true,
      stdio: ['ignore', log, log],
    }),
  );
  closeSync(log);
  if (child.pid !== undefined) writePrivateFile(options.pidFile, String(child.pid));
  return child;
}

/** A part that outlived a killed `npm start` would run alongside the new one, with an old configuration. */
export async function endOrphan({ pidFile, script }: { pidFile: string; script: string }): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (!(pid > 0) || !isRunningWith(pid, script)) return;
  await stopProcess(pid, 'SIGTERM', stopLimitMs);
  killGroup(pid);
}

/** Child processes of a killed part would keep its ports. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
