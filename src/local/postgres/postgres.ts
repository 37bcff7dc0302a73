/**
 * A local Postgres for machines that have none: the server from npm, bound to 127.0.0.1, with a password for every role. Its superuser only
 * prepares the database. All other connections use a role without further privileges. A server that a killed parent left behind is found
 * and reused.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ConfigError } from '../../config/config-error.ts';
import { isRunningWith, stopProcess } from '../child-process.ts';
import { closeFile, openPrivateLog, PRIVATE_FOLDER, writePrivateFile } from '../private-files.ts';
import { asAdmin, bootstrapDatabase } from './bootstrap-database.ts';
import { type PostgresPlace, postgresPlace, type ServerUser } from './postgres-place.ts';

export type LocalPostgres = {
  /** URL of the database `sluice`, with the role that owns it and everything in it, and the role's password. */
  url: string;
  /** URL of the same database as the superuser, for creating other databases, as tests and benchmarks do. */
  adminUrl: string;
  pid: number;
  /** Stops the server, regardless of which process started it, and waits until it is gone. */
  stop(): Promise<void>;
};

export type StartPostgresOptions = {
  /** Absolute path. Holds data, password and log, unless the server's user cannot reach it. */
  folder: string;
  port: number;
  /** Server settings in addition to the defaults, such as `fsync: 'off'`. */
  settings?: Record<string, string>;
  /** Receives the location of the data if it is not `folder`. */
  log?: (line: string) => void;
};

/** Created by initdb. */
const superuser = 'sluice';
const role = 'gateway';
const database = 'sluice';
/** The complete contents of pg_hba.conf: who may connect, from where, and how. */
const hostRules = '# Written at each start of Sluice.\nhost all all 127.0.0.1/32 scram-sha-256\n';
const startLimitMs = 60_000;
const stopLimitMs = 30_000;

/**
 * Starts the server, initializing its data on the first run, and resolves when it accepts connections. Throws ConfigError when another
 * server uses the port.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<LocalPostgres> {
  const place = postgresPlace(options.folder);
  if (place.moved)
    options.log?.(`Postgres stores its data in ${place.folder}, because its user cannot access ${options.folder}.`);
  const password = readPassword(join(place.folder, 'password'));
  // initdb reads the file as the server's user.
  if (place.user) chownSync(join(place.folder, 'password'), place.user.uid, place.user.gid);
  closeFile(join(place.folder, 'postgres.log'));
  const rolePassword = readPassword(join(options.folder, 'role-password'));
  const urlOf = (user: string, secret: string) =>
    `postgresql://${user}:${secret}@127.0.0.1:${options.port}/${database}`;
  const adminUrl = urlOf(superuser, password);
  if (!existsSync(join(place.data, 'PG_VERSION'))) await initialise(place, password);
  const pid = await runServer(place, options, adminUrl);
  await bootstrapDatabase({ adminUrl, role, rolePassword, log: options.log });
  await requirePasswords(place, { adminUrl, password });
  const stop = () => stopProcess(pid, 'SIGINT', stopLimitMs);
  return { url: urlOf(role, rolePassword), adminUrl, pid, stop };
}

function readPassword(file: string): string {
  if (!existsSync(file)) writePrivateFile(file, randomBytes(16).toString('hex'));
  closeFile(file);
  return readFileSync(file, 'utf8').trim();
}

async function initialise(place: PostgresPlace, password: string): Promise<void> {
  // A first run that was killed leaves a folder that initdb refuses.
  rmSync(place.data, { recursive: true, force: true });
  mkdirSync(place.data, { recursive: true, mode: PRIVATE_FOLDER });
  if (place.user) chownSync(place.data, place.user.uid, place.user.gid);
  const child = spawnAs(place.user, join(place.binaries, 'initdb'), [
    `--pgdata=${place.data}`,
    `--username=${superuser}`,
    `--pwfile=${join(place.folder, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // Crash safety is not needed during initialization, because an incomplete folder is recreated.
    '--no-sync',
  ]);
  const output = collect(child);
  const code = await exitOf(child);
  if (code === 0) writeHostRules(place);
  if (code !== 0) {
    rmSync(place.data, { recursive: true, force: true });
    if (password === '') throw new Error('The password file of Postgres is empty.');
    throw new Error(`initdb exited with code ${code}:\n${output()}`);
  }
}

/** Returns the pid of a server with this data and port: one left running earlier, or a new one. */
async function runServer(place: PostgresPlace, options: StartPostgresOptions, url: string): Promise<number> {
  const deadline = Date.now() + startLimitMs;
  let child: ChildProcess | undefined;
  while (Date.now() < deadline) {
    const found = runningServer(place);
    if (found && found.port !== options.port) {
      await stopProcess(found.pid, 'SIGINT', stopLimitMs);
      continue;
    }
    const answer = await probe(url);
    if (answer === 'ready') {
      const pid = runningServer(place)?.pid;
      if (pid !== undefined) return pid;
    }
    if (answer === 'foreign') {
      child?.kill('SIGINT');
      throw new ConfigError(`LOCAL_POSTGRES_PORT: port ${options.port} is in use by another process.`);
    }
    // The server may still be starting or stopping. A server that ended in between is started again.
    if (answer === 'down' && !found && (child === undefined || child.exitCode !== null)) {
      if (child) throw new Error(`Postgres did not start. Its log is ${join(place.folder, 'postgres.log')}.`);
      child = spawnServer(place, options);
    }
    await delay(50);
  }
  child?.kill('SIGKILL');
  throw new Error(
    `Postgres did not start within ${startLimitMs} ms. Its log is ${join(place.folder, 'postgres.log')}.`,
  );
}

function spawnServer(place: PostgresPlace, options: StartPostgresOptions): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket file, so that two servers on one machine cannot conflict in a shared folder.
    unix_socket_directories: '',
    max_connections: '200',
    ...options.settings,
  };
  const log = openPrivateLog(join(place.folder, 'postgres.log'));
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(place.binaries, 'postgres'), ['-D', place.data, '-p', String(options.port), ...flags], {
    ...place.user,
    // The server gets its own process group: Ctrl-C in a terminal must reach it last, through stop().
    detached: true,
    stdio: ['ignore', log, log],
    cwd: place.folder,
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  return child;
}

/** Returns the server that `postmaster.pid` names, if that process is alive. */
function runningServer(place: PostgresPlace): { pid: number; port: number } | undefined {
  const file = join(place.data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || !isRunningWith(pid, place.data))
    return undefined;
  return { pid, port };
}

async function probe(url: string): Promise<'ready' | 'down' | 'foreign' | 'starting'> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres'), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ECONNREFUSED') return 'down';
    // 57P03: starting up or shutting down. ECONNRESET: the listener has just closed.
    return code === '57P03' || code === 'ECONNRESET' ? 'starting' : 'foreign';
  } finally {
    await client.end().catch(() => undefined);
  }
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/**
 * A server that accepts connections without a password would make the role's limits useless. Data that was created with other rules gets
 * these rules, once the superuser's password is known to be the one on file.
 */
async function requirePasswords(place: PostgresPlace, known: { adminUrl: string; password: string }): Promise<void> {
  if (readFileSync(hostRulesFile(place), 'utf8') === hostRules) return;
  await asAdmin(known.adminUrl, async (client) => {
    await client.query(`ALTER ROLE ${superuser} PASSWORD ${pg.escapeLiteral(known.password)}`);
    writeHostRules(place);
    await client.query('SELECT pg_reload_conf()');
  });
}

function writeHostRules(place: PostgresPlace): void {
  const partial = `${hostRulesFile(place)}.partial`;
  writePrivateFile(partial, hostRules);
  if (place.user) chownSync(partial, place.user.uid, place.user.gid);
  renameSync(partial, hostRulesFile(place));
}

function hostRulesFile(place: PostgresPlace): string {
  return join(place.data, 'pg_hba.conf');
}

function spawnAs(as: ServerUser | undefined, file: string, args: string[]): ChildProcess {
  // The server's user may be unable to access the current folder, and initdb requires a working directory that it can read.
  return spawn(file, args, { ...as, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(String(chunk)));
  return () => chunks.join('');
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
