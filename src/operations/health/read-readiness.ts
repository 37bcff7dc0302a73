import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../../prisma/client.ts';
import { inLane } from '../../../prisma/database-pools.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { ReadReadiness } from '../../platform/service-endpoints.ts';
import { chainFaults } from './chain-faults.ts';
import { readChainSigns } from './vital-signs.ts';

type World = { database: Database; registry: Registry; clock: Clock; log: Log };

const migrationsFolder = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const DATABASE_TIMEOUT_MS = 3_000;

/** Whether the database answers, has every migration of this build, and shows every enabled chain as it is now. */
export function openReadiness(world: World): ReadReadiness {
  let migrated = false;
  return async () => {
    const look = async () => {
      const missing = migrated ? [] : await missingMigrations(world.database);
      migrated = missing.length === 0;
      if (!migrated) return [`The database lacks migrations: ${missing.join(', ')}.`];
      const chains = await readChainSigns(world, { now: world.clock.now() });
      return chains.flatMap(chainFaults);
    };
    return await withinTime(() => inLane('health', look)).catch((error: unknown) => {
      world.log.warn({ error }, 'Not ready: the database does not answer.');
      return ['The database does not answer.'];
    });
  };
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
    timer = setTimeout(() => reject(new Error(`No answer within ${DATABASE_TIMEOUT_MS} ms.`)), DATABASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
