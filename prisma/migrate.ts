/**
 * Migrations without an engine download: `node prisma/migrate.ts deploy | status | new <name> | diff`, against DATABASE_URL. `new` and
 * `diff` create and drop a shadow database, so they need a running Postgres server and a role that may create databases.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList, SchemasContainer } from '@prisma/schema-engine-wasm';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { type SchemaEngine, withSchemaEngine } from './migration-engine.ts';
import { requireFirstEditionClosed } from './open-first-edition.ts';

const schemaFolder = fileURLToPath(new URL('.', import.meta.url));
const migrationsFolder = join(schemaFolder, 'migrations');
/** Names the database provider for the engine. Prisma's own CLI keeps the same file. */
const lockfile = join(migrationsFolder, 'migration_lock.toml');
const filters = { externalTables: [], externalEnums: [] };

/** Session advisory lock that serializes concurrent deployments to one database. */
const deployLock = '7216941733012894';

export type MigrationStatus = { applied: string[]; pending: string[]; failed: string[]; edited: string[] };

/**
 * Applies every migration that the database lacks and returns their names. Also migrates the job queue's own tables. Safe to run from
 * several processes at once and any number of times. Throws the engine's P-code error, or FirstEditionOpen before anything is changed.
 */
export async function deployMigrations(url: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [deployLock]);
    await requireFirstEditionClosed(client);
    const output = await withEngine(url, (engine) =>
      engine.applyMigrations({ migrationsList: migrationsList(), filters }),
    );
    await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) });
    return { applied: output.appliedMigrationNames };
  } finally {
    await client.end();
  }
}

/** A hash of the names and contents of all migrations. Equal hashes mean equal database schemas. */
export function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const name of migrationNames()) {
    hash.update(`${name}\0${migrationText(name)}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Returns the SQL that leads from the migrations to the schema, or null if they agree. */
export async function schemaDrift(url: string): Promise<string | null> {
  const result = await withEngine(url, (engine) =>
    engine.diff({
      // Without any migration, the engine cannot determine the provider.
      from: migrationNames().length === 0 ? { tag: 'empty' } : { tag: 'migrations', ...migrationsList() },
      to: { tag: 'schemaDatamodel', ...schemas() },
      script: true,
      exitCode: true,
      filters,
    }),
  );
  return result.exitCode === 0 ? null : (result.stdout ?? '');
}

/** Returns which migrations are applied in the database, pending, failed, or edited after they were applied. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const diagnosis = await withEngine(url, (engine) =>
    engine.diagnoseMigrationHistory({
      migrationsList: migrationsList(),
      optInToShadowDatabase: false,
      filters,
    }),
  );
  const history = diagnosis.history;
  const failed = diagnosis.failedMigrationNames;
  const pending = !diagnosis.hasMigrationsTable
    ? migrationNames()
    : history === null || history.diagnostic === 'migrationsDirectoryIsBehind'
      ? []
      : history.unappliedMigrationNames;
  return {
    applied: migrationNames().filter((name) => !pending.includes(name) && !failed.includes(name)),
    pending,
    failed,
    edited: diagnosis.editedMigrationNames,
  };
}

/**
 * Writes the migration that leads to the current schema and returns its folder name, or null if nothing changed. `name` consists of
 * lower-case words joined by underscores, at most 60 characters.
 */
export async function newMigration(url: string, name: string): Promise<string | null> {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.length > 60) {
    throw new RangeError(
      `"${name}" is no migration name: lower-case words joined by underscores, at most 60 characters.`,
    );
  }
  const script = await schemaDrift(url);
  if (script === null) return null;
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = `${stamp}_${name}`;
  mkdirSync(join(migrationsFolder, folder), { recursive: true });
  writeFileSync(join(migrationsFolder, folder, 'migration.sql'), script);
  writeFileSync(lockfile, '# Written by the migration engine.\nprovider = "postgresql"\n');
  return folder;
}

function withEngine<Result>(url: string, work: (engine: SchemaEngine) => Promise<Result>): Promise<Result> {
  const datamodels = schemas().files.map((file): [string, string] => [file.path, file.content]);
  return withSchemaEngine({ url, datamodels }, work);
}

function schemas(): SchemasContainer {
  const names = readdirSync(schemaFolder).filter((name) => name.endsWith('.prisma'));
  return {
    files: names.sort().map((name) => {
      const path = join(schemaFolder, name);
      return { path, content: readFileSync(path, 'utf8') };
    }),
  };
}

function migrationsList(): MigrationList {
  return {
    baseDir: migrationsFolder,
    shadowDbInitScript: '',
    lockfile: {
      path: 'migration_lock.toml',
      content: existsSync(lockfile) ? readFileSync(lockfile, 'utf8') : null,
    },
    migrationDirectories: migrationNames().map((name) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: migrationText(name) } },
    })),
  };
}

function migrationNames(): string[] {
  if (!existsSync(migrationsFolder)) return [];
  return readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function migrationText(name: string): string {
  return readFileSync(join(migrationsFolder, name, 'migration.sql'), 'utf8');
}

async function main(command: string | undefined, name: string | undefined): Promise<void> {
  const url = process.env.DATABASE_URL;
  if (url === undefined || url === '') {
    throw new RangeError('DATABASE_URL is not set: name a running Postgres.');
  }
  switch (command) {
    case 'deploy': {
      const { applied } = await deployMigrations(url);
      console.log(applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.join(', ')}.`);
      return;
    }
    case 'status':
      console.log(JSON.stringify(await migrationStatus(url), null, 2));
      return;
    case 'new': {
      const created = await newMigration(url, name ?? '');
      console.log(created === null ? 'The schema has not changed.' : `Created ${created}.`);
      return;
    }
    case 'diff': {
      const drift = await schemaDrift(url);
      console.log(drift ?? 'Migrations and schema agree.');
      if (drift !== null) process.exitCode = 2;
      return;
    }
    default:
      throw new RangeError('Usage: node prisma/migrate.ts deploy | status | new <name> | diff');
  }
}

if (import.meta.main) {
  await main(process.argv[2], process.argv[3]).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
  // The engine leaves a ten-second timer of its lock running.
  process.exit();
}
