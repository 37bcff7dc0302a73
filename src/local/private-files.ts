/**
 * What an installation writes below its folder holds keys, passwords and logs: files are 0600 and folders 0700, whatever
 * the umask of the shell. The data of Postgres keeps its own owner and mode, and is not touched here.
 */
import { chmodSync, lstatSync, mkdirSync, openSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
/** Others may pass through it to a folder whose name they know, and cannot list it. */
const PASSABLE_FOLDER = 0o711;
/** /tmp and the like: a folder for everybody is not the installation's to close. */
const STICKY = 0o1000;

/** What earlier editions have written by the umask; anything else in the folder is not ours. */
const ownFile =
  /^((demo|chains)\.json|environment|(start|api|worker|indexer)\.pid|evm-\d+\..+|solana\.(jsonl|genesis))(\.partial)?$/;

export function writePrivateFile(file: string, contents: string | Uint8Array): void {
  writeFileSync(file, contents, { mode: PRIVATE_FILE });
}

/** Whole or not at all, for somebody may read it at any moment. */
export function replacePrivateFile(file: string, contents: string): void {
  const partial = `${file}.partial`;
  writePrivateFile(partial, contents);
  renameSync(partial, file);
}

/** For appending: a log that a child writes to. The caller closes it. */
export function openPrivateLog(file: string): number {
  return openSync(file, 'a', PRIVATE_FILE);
}

/**
 * Makes the folder of an installation and its folder `logs`, or closes those of an earlier edition together with the files
 * in them. `passable`: another user has to reach a folder in it, as Postgres does when we are root.
 */
export function closeFolder(folder: string, { passable }: { passable: boolean }): void {
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true, mode: PRIVATE_FOLDER });
  if ((statSync(folder).mode & STICKY) === 0) close(folder, passable ? PASSABLE_FOLDER : PRIVATE_FOLDER);
  close(logs, PRIVATE_FOLDER);
  for (const name of readdirSync(folder)) if (ownFile.test(name)) closeFile(join(folder, name));
  for (const name of readdirSync(logs)) closeFile(join(logs, name));
}

/** A link is left alone: it may lead out of the folder. */
export function closeFile(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) close(file, PRIVATE_FILE);
}

/** What belongs to somebody else is not ours to close. */
function close(path: string, mode: number): void {
  const self = process.getuid?.() ?? 0;
  if (self === 0 || statSync(path).uid === self) chmodSync(path, mode);
}

/** Runs `start` under a umask that makes new files private; a process started by it keeps that umask. */
export function underPrivateUmask<Started>(start: () => Started): Started {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}
