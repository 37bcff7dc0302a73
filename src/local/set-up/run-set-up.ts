import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../../config/config-error.ts';
import { stopProcess } from '../child-process.ts';
import type { Demo } from '../demo-file.ts';
import { checkoutFolder, type LocalSettings } from '../local-settings.ts';

export type SetUpRequest = {
  settings: LocalSettings;
  databaseUrl: string;
  /** The local EVM chains; empty if there are other chains. */
  nodes: { chainId: number; rpcUrl: string }[];
  solana: { rpcUrl: string; wsUrl: string } | null;
  sui: { url: string } | null;
  demoFile: string;
};

export type SetUp = {
  /** The number of migrations that were applied. */
  migrations: number;
  /** The settings of the parts. */
  environment: Record<string, string>;
  /** Null if the chains are not local, because no wallet then holds money to try it with. */
  demo: Demo | null;
};

/** What the process prints. The message of an unexpected failure is its stack. */
export type SetUpOutcome = { done: SetUp } | { failure: { message: string; isExpected: boolean } };

export type SetUpProcess = {
  /** Throws ConfigError for failures of the environment. May be called once. */
  run(request: SetUpRequest): Promise<SetUp>;
  stop(): Promise<void>;
};

/** Starts the process, which loads its libraries while the request is prepared. */
export function openSetUp(environment: Record<string, string | undefined>): SetUpProcess {
  const child = spawn(process.execPath, [join(checkoutFolder, 'src', 'local', 'set-up', 'set-up.ts')], {
    cwd: checkoutFolder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const printed = text(child.stdout).catch(() => '');
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  failed.catch(() => undefined);
  // A process that has ended does not read its request. Its output contains the reason.
  child.stdin.on('error', () => undefined);
  return {
    async run(request) {
      child.stdin.end(JSON.stringify(request));
      const outcome = outcomeIn(await Promise.race([printed, failed]));
      if ('done' in outcome) return outcome.done;
      const { message, isExpected } = outcome.failure;
      throw isExpected ? new ConfigError(message) : new Error(message);
    },
    async stop() {
      child.stdin.destroy();
      if (child.pid !== undefined && child.exitCode === null) await stopProcess(child.pid, 'SIGTERM', 10_000);
    },
  };
}

function outcomeIn(printed: string): SetUpOutcome {
  const line = printed.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error('The installation could not be set up: its process exited early.');
  return JSON.parse(line);
}
