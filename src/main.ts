/**
 * The composition root: `node src/main.ts <part>`. Calls from lower to higher modules go through the tables in `main/`: job to verb, event
 * type to reactions, fact kind to handler. Each part is loaded only where it runs.
 */
import { type Config, parseConfig } from './config/config.ts';
import { ConfigError } from './config/config-error.ts';
import type { RunningPart } from './main/open-world.ts';
import { collectIdleGarbage } from './platform/collect-idle-garbage.ts';

const parts: Record<string, (config: Config) => Promise<RunningPart>> = {
  api: async (config) => (await import('./main/run-api.ts')).runApi(config),
  worker: async (config) => (await import('./main/run-worker.ts')).runWorker(config),
  indexer: async (config) => (await import('./main/run-indexer-part.ts')).runIndexerPart(config),
  all: async (config) => (await import('./main/run-all.ts')).runAll(config),
};

/** Commands that run once and return the exit code. */
const commands: Record<string, (config: Config, rest: string[]) => Promise<number>> = {
  ops: async (config, rest) => (await import('./main/run-operations.ts')).runOperations(config, rest),
  verify: async (config, rest) => (await import('./main/run-operations.ts')).runVerification(config, rest),
};

/** A part that does not stop within this time is terminated. The next one completes its remaining work. */
const STOP_LIMIT_MS = 18_000;
/** A part that receives a stop signal while it starts, and has not started within this time, has no work in progress and is terminated. */
const START_LIMIT_MS = 5_000;

async function main([name = '', ...rest]: string[]): Promise<void> {
  const part = parts[name];
  const command = commands[name];
  if (!part && !command) {
    throw new ConfigError(`Usage: node src/main.ts ${[...Object.keys(parts), ...Object.keys(commands)].join(' | ')}`);
  }
  const config = parseConfig(process.env);
  if (part) {
    await runUntilStopped(async () => {
      await (await import('./main/require-second-edition.ts')).requireSecondEdition(config);
      return await part(config);
    });
  }
  if (command) process.exitCode = await command(config, rest);
}

/** Exits with 0 after a stop signal, also during startup, and with 1 if it cannot stop in time or receives a second signal. */
async function runUntilStopped(start: () => Promise<RunningPart>): Promise<void> {
  let stopping = false;
  const starting = start();
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    const giveUp = setTimeout(() => process.exit(0), START_LIMIT_MS);
    starting
      .then(
        async (running) => {
          clearTimeout(giveUp);
          await running.stop();
        },
        () => process.exit(0),
      )
      .catch((error: unknown) => {
        console.error(error);
        process.exitCode = 1;
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    await starting;
    collectIdleGarbage();
  } catch (error) {
    if (!stopping) throw error;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
