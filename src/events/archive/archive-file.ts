/**
 * A file of archived events: JSON Lines, one event a line as `GET /events` returns it, compressed with gzip. It is either complete or
 * absent: it is written under another name, synced to disk, and renamed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { GatewayError } from '../../errors.ts';
import { newId } from '../../platform/identifier.ts';
import type { SequencedEvent } from '../store.ts';
import type { ArchiveRange } from './store.ts';

/** The manifest of an app's folder, as `sha256sum --check` reads it. */
export const MANIFEST = 'SHA256SUMS';
/** Only the owner may read the files, because they contain customers' names and amounts. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];
const DIGITS = 12;

export type WrittenFile = { sha256: string; sizeBytes: bigint };

/** The path of a file in the archive's folder. Names sort in the order of the sequence. */
export function archiveFileName(appId: string, { month, first, last }: ArchiveRange): string {
  const [from, through] = [first, last].map((number) => String(number).padStart(DIGITS, '0'));
  return join(appId, `${month}-${from}-${through}.jsonl.gz`);
}

/** The line of an event, with its line break. */
export function eventLine({ id, type, sequence, createdAt, appId, data, finality }: SequencedEvent): string {
  const line = {
    id,
    type,
    sequence: Number(sequence),
    timestamp: createdAt.toISOString(),
    appId,
    data,
    ...(finality === null ? {} : { finality }),
  };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Writes a file that holds exactly `count` events, replacing one of the same name. Throws CONFLICT if there are fewer or more of them,
 * because another process is then deleting them at the same time.
 */
export async function writeArchiveFile(
  path: string,
  { events, count }: { events: AsyncIterable<readonly SequencedEvent[]>; count: number },
): Promise<WrittenFile> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await removeUnfinished(path);
  const partial = `${path}.${newId()}.partial`;
  const hash = createHash('sha256');
  let [written, sizeBytes] = [0, 0n];
  const file = await open(partial, 'wx', FILE_MODE);
  try {
    const lines = async function* () {
      for await (const page of events) {
        written += page.length;
        yield page.map(eventLine).join('');
      }
    };
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        sizeBytes += BigInt(chunk.length);
        file.writeFile(chunk).then(() => done(), done);
      },
    });
    await pipeline(Readable.from(lines()), createGzip(), sink);
    if (written !== count) {
      throw new GatewayError(
        'CONFLICT',
        `Only ${written} of ${count} events are in the table. Check whether another archive command is running.`,
      );
    }
    await file.sync();
    await file.close();
    await rename(partial, path);
    await syncFolder(dirname(path));
    await syncFolder(dirname(dirname(path)));
    return { sha256: hash.digest('hex'), sizeBytes };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/** Removes the incomplete file of a call that was killed. */
async function removeUnfinished(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(basename(path)) && name.endsWith('.partial')) await rm(join(dirname(path), name));
  }
}

/** The SHA-256 of a file in hexadecimal digits; null if it cannot be read. */
export async function hashOfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return null;
  }
}

/** Adds a file to the manifest beside it, which is replaced as a whole. Adding it again changes nothing. */
export async function addToManifest(path: string, sha256: string): Promise<void> {
  const manifest = join(dirname(path), MANIFEST);
  const known = await readFile(manifest, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const line = `${sha256}  ${basename(path)}`;
  const others = known.split('\n').filter((one) => one !== '' && !one.endsWith(`  ${basename(path)}`));
  const partial = `${manifest}.${newId()}.partial`;
  const file = await open(partial, 'wx', FILE_MODE);
  await file.writeFile(`${[...others, line].sort(byName).join('\n')}\n`);
  await file.sync();
  await file.close();
  await rename(partial, manifest);
  await syncFolder(dirname(path));
}

function byName(one: string, other: string): number {
  const [name = '', otherName = ''] = [one, other].map((line) => line.split('  ')[1]);
  return name < otherName ? -1 : 1;
}

/** A new name in a folder survives a power failure only once the folder itself is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
