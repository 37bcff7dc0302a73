/** The privileges of an installation in Postgres, and the access of others to its files. */
import { chmodSync, readdirSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { startPostgres } from '../../src/local/postgres/postgres.ts';
import { freePort } from '../setup/free-port.ts';

const isRoot = process.getuid?.() === 0;

/** Every session on the server is of one role without privileges, and each part has sessions. */
export async function expectPlainRole(folder: string): Promise<void> {
  const [, url] = /^DATABASE_URL=(.+)$/m.exec(readFileSync(join(folder, 'environment'), 'utf8')) ?? [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const roles = new Set<string>();
    const look = async () => {
      const sessions = await client.query<{ role: string; part: string }>(
        `SELECT usename AS role, application_name AS part FROM pg_stat_activity WHERE backend_type = 'client backend'`,
      );
      for (const { role } of sessions.rows) roles.add(role);
      const parts = sessions.rows.map(({ part }) => part);
      return {
        listeners: parts.filter((part) => part === 'sluice-listener').length,
        projector: parts.includes('sluice-projector'),
        ponder: parts.includes('ponder_sync'),
      };
    };
    // API, worker and indexer listen, each on one connection; the indexer has its projector and Ponder too.
    await expect.poll(look, { timeout: 60_000 }).toEqual({ listeners: 3, projector: true, ponder: true });
    expect([...roles]).toEqual(['gateway']);
    const { rows } = await client.query(
      `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS more,
         (SELECT count(*)::int FROM pg_tables WHERE schemaname IN ('public', 'graphile_worker')
           AND tableowner <> current_user) AS foreign
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(rows).toEqual([{ more: false, foreign: 0 }]);
  } finally {
    await client.end();
  }
}

/** Files are 0600 and folders 0700; the data of Postgres keeps its owner, who may pass through the folder above. */
export function expectClosed(folder: string): void {
  expect(modeOf(statSync(folder))).toBe(isRoot ? '711' : '700');
  const data = join(folder, 'postgres', 'data');
  const open = walk(folder, data).filter(({ stat }) => modeOf(stat) !== (stat.isDirectory() ? '700' : '600'));
  expect(open.map(({ path, stat }) => `${path} ${modeOf(stat)}`)).toEqual([]);
  const { uid, mode } = statSync(data);
  expect([uid === 0, mode & 0o077]).toEqual([false, 0]);
}

/** A folder as an earlier version leaves it: the files are public, and the superuser owns the database. */
export async function makeFirstEdition(folder: string): Promise<void> {
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), port: await freePort() });
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  await admin.query('REASSIGN OWNED BY gateway TO sluice');
  await admin.query('DROP ROLE gateway');
  await admin.end();
  await postgres.stop();
  const data = join(folder, 'postgres', 'data');
  rmSync(join(folder, 'postgres', 'role-password'));
  writeFileSync(join(data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  for (const { path, stat } of walk(folder, data)) {
    if (!path.includes('password')) chmodSync(path, stat.isDirectory() ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}

function modeOf(stat: Stats): string {
  return (stat.mode & 0o777).toString(8);
}

/** Everything below the folder except for `excluded`. A file may be deleted during the listing. */
function walk(folder: string, excluded: string): { path: string; stat: Stats }[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== excluded)
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat) return [];
      return [{ path, stat }, ...(stat.isDirectory() ? walk(path, excluded) : [])];
    });
}
