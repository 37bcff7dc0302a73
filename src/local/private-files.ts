/**
 * An installation's folder contains keys, passwords and logs, so files are created with mode 0600 and folders with 0700, regardless of the
 * shell's umask. The data folder of Postgres keeps its own owner and mode and is not changed here.
 */
import { chmodSync, lstatSync, mkdirSync, openSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
/** Other users may traverse the folder to a path that they know, but cannot list it. */
const PASSABLE_FOLDER = 0o711;
/** Marks shared folders such as /tmp, whose mode the installation must not change. */
const STICKY = 0o1000;

/** Files that earlier editions wrote with the default umask. Other files in the folder do not belong to the installation. */
const ownFile =
  /^((demo|chains)\.json|environment|(start|api|worker|indexer)\.pid|evm-\d+\..+|solana\.(jsonl|genesis))(\.partial)?$/;

export function writePrivateFile(file: string, contents: string | Uint8Array): void {
  writeFileSync(file, contents, { mode: PRIVATE_FILE });
}

/** Replaces the file atomically, because another process may read it at any time. */
export function replacePrivateFile(file: string, contents: string): void {
  const partial = `${file}.partial`;
  writePrivateFile(partial, contents);
  renameSync(partial, file);
}

/** Opens a log for a child process to append to. The caller closes it. */
export function openPrivateLog(file: string): number {
  return openSync(file, 'a', PRIVATE_FILE);
}

/**
 * Creates the folder of an installation and its folder `logs`, or restricts those of an earlier edition and the files in them. Set
 * `passable` if another user must reach a folder in it, as Postgres does when the current user is root.
 */
export function closeFolder(folder: string, { passable }: { passable: boolean }): void {
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true, mode: PRIVATE_FOLDER });
  if ((statSync(folder).mode & STICKY) === 0) close(folder, passable ? PASSABLE_FOLDER : PRIVATE_FOLDER);
  close(logs, PRIVATE_FOLDER);
  for (const name of readdirSync(folder)) if (ownFile.test(name)) closeFile(join(folder, name));
  for (const name of readdirSync(logs)) closeFile(join(logs, name));
}

/** Restricts a regular file. A symbolic link is left alone, because it may point outside the folder. */
export function closeFile(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) close(file, PRIVATE_FILE);
}

/** Files of other users are left unchanged. */
function close(path: string, mode: number): void {
  const self = process.getuid?.() ?? 0;
  if (self === 0 || statSync(path).uid === self) chmodSync(path, mode);
}

/** Runs `start` with a umask that makes new files private. A process that it starts keeps that umask. */
export function underPrivateUmask<Started>(start: () => Started): Started {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}
