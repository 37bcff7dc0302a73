/**
 * `npm start` runs everything on one machine: Postgres, two EVM chains with escrow and tokens, a Solana and a Sui node, migrations, a demo
 * merchant, then the API, worker and indexer as separate processes, and a screen that lists the addresses of all of them. Environment
 * variables of the shell take precedence: DATABASE_URL replaces the local Postgres, RPC_URL_<chainId> the local chains.
 */
import { ConfigError } from '../config/config-error.ts';
import { collectIdleGarbage } from '../platform/collect-idle-garbage.ts';
import { parseLocalSettings } from './local-settings.ts';
import { printScreen } from './print-screen.ts';
import { startInstallation } from './start-installation.ts';

const startedAt = Date.now();
const closers: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;

/** Stops everything in reverse order of starting, so that processes that write stop before those they write to. */
function end(exitCode: number): Promise<void> {
  ending ??= (async () => {
    for (let close = closers.pop(); close; close = closers.pop()) {
      await close().catch((error: unknown) => console.error(error));
    }
    process.exit(exitCode);
  })();
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!ending) console.log('\nEnding …');
    end(0);
  });
}

try {
  const settings = parseLocalSettings(process.env);
  const installation = await startInstallation(settings, {
    environment: process.env,
    log: (line) => console.log(line),
    onStarted: (close) => closers.push(close),
    onGivenUp: () => end(1),
  });
  collectIdleGarbage();
  if (!ending) printScreen({ ...installation, seconds: (Date.now() - startedAt) / 1000 });
} catch (error) {
  // Configuration and environment errors are printed as a message, bugs with their stack trace.
  if (!ending) console.error(error instanceof ConfigError ? error.message : error);
  await end(ending ? 0 : 1);
}
