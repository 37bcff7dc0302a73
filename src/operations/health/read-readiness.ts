import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../../prisma/client.ts';
import { inLane } from '../../../prisma/database-pools.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Readiness, ReadReadiness } from '../../platform/service-endpoints.ts';
import { chainFaults } from './chain-faults.ts';
import { type ChainSigns, readChainSigns } from './vital-signs.ts';

type World = { database: Database; registry: Registry; clock: Clock; log: Log };

const migrationsFolder = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const DATABASE_TIMEOUT_MS = 3_000;

/**
 * Returns whether this process can do its work: the database responds and has every migration of this build, and `own`, the part's own
 * state, reports no faults. A chain in trouble does not take the process out of service, because the other chains continue. It is reported
 * in the notes.
 */
export function openReadiness(world: World, own: () => Readiness = () => ({ faults: [], notes: [] })): ReadReadiness {
  let migrated = false;
  return async ({ verbose }) => {
    const ownReadiness = own();
    const look = async (): Promise<Readiness> => {
      const missing = migrated ? [] : await missingMigrations(world.database);
      if (missing.length > 0) {
        return { faults: [`The database is missing migrations: ${missing.join(', ')}.`], notes: [] };
      }
      migrated = true;
      if (verbose) return { faults: [], notes: (await readChains(world)).flatMap(chainNotes) };
      await world.database.$queryRaw`SELECT 1`;
      return { faults: [], notes: [] };
    };
    const read = await withinTime(() => inLane('health', look)).catch((error: unknown): Readiness => {
      world.log.warn({ error }, 'Not ready: the database does not respond.');
      return { faults: ['The database does not respond.'], notes: [] };
    });
    return { faults: [...read.faults, ...ownReadiness.faults], notes: [...ownReadiness.notes, ...read.notes] };
  };
}

async function readChains(world: World): Promise<ChainSigns[]> {
  return await readChainSigns(world, { now: world.clock.now() });
}

function chainNotes(chain: ChainSigns): string[] {
  const faults = chainFaults(chain);
  const paused = chain.observed?.paused ? [`New payments on chain ${chain.chainId} are paused by an operator.`] : [];
  return [...(faults.length > 0 ? faults : [`Chain ${chain.chainId} (${chain.name}) is healthy.`]), ...paused];
}

async function missingMigrations(database: Database): Promise<string[]> {
  const [table] = await database.$queryRaw<{ name: string | null }[]>`
    SELECT to_regclass('_prisma_migrations')::text AS name`;
  const applied =
    table?.name == null
      ? []
      : await database.$queryRaw<{ name: string }[]>`
          SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
  const names = new Set(applied.map((row) => row.name));
  return readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !names.has(entry.name))
    .map((entry) => entry.name);
}

async function withinTime<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${DATABASE_TIMEOUT_MS} ms.`)), DATABASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
