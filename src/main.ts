/**
 * The composition root: `node src/main.ts <part>`. What points up in the house goes through the tables in `main/`:
 * job → verb, event type → reactions, fact kind → handler. Each part is loaded only where it runs.
 */
import { type Config, ConfigError, parseConfig } from './config/config.ts';
import type { RunningPart } from './main/open-world.ts';

const parts: Record<string, (config: Config) => Promise<RunningPart>> = {
  api: async (config) => (await import('./main/run-api.ts')).runApi(config),
  worker: async (config) => (await import('./main/run-worker.ts')).runWorker(config),
  indexer: async (config) => (await import('./main/run-indexer-part.ts')).runIndexerPart(config),
  all: async (config) => (await import('./main/run-all.ts')).runAll(config),
};

/** Commands that do one thing and end; they answer the exit code. */
const commands: Record<string, (config: Config, rest: string[]) => Promise<number>> = {
  ops: async (config, rest) => (await import('./main/run-operations.ts')).runOperations(config, rest),
  verify: async (config, rest) => (await import('./main/run-operations.ts')).runVerification(config, rest),
};

/** A part that cannot stop in this time is ended; what it left is done by the next one. */
const STOP_LIMIT_MS = 18_000;
/** A part that is asked to stop while it starts, and is not up in this time, has begun nothing and is ended. */
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
      await (await import('./main/demand-second-edition.ts')).demandSecondEdition(config);
      return await part(config);
    });
  }
  if (command) process.exitCode = await command(config, rest);
}

/** Ends with 0 when it is asked to, while it starts too; with 1 when it cannot stop, or is asked a second time. */
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
  } catch (error) {
    if (!stopping) throw error;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
