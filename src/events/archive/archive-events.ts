import { join, resolve } from 'node:path';
import { type Database, type EventArchiveFile, Prisma } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { readEvents, type SequencedEvent } from '../store.ts';
import { addToManifest, archiveFileName, hashOfFile, writeArchiveFile } from './archive-file.ts';
import { deleteArchived, type Hold, nextRange, type Reach, reachOfApps, unfinishedFiles } from './store.ts';

/** Maximum number of events in a file. */
const FILE_EVENTS = 50_000;
/** Number of events that are read at a time. */
const READ = 1_000;
/** Number of events that one transaction deletes. Appending an event waits for its commit only. */
const DELETED = 2_000;

export type ArchivedApp = {
  appId: string;
  /** Number of events that this call moved, or would move in a dry run. */
  events: number;
  files: number;
  archivedThrough: bigint;
  /** What keeps older events than `before` in the table; null if nothing does. */
  hold: Hold | null;
};

/** Called after each step of a file, for tests that end there. */
type Observer = (step: 'RESERVED' | 'WRITTEN' | 'RECORDED' | 'DELETED') => Promise<void> | void;

/**
 * Moves every app's events that were appended before an instant from the table to files. A file's range is recorded first, then the file
 * is written and forced to the disk, then its hash is recorded, and only then its events are deleted. A call that was killed is
 * continued by the next one, from the range that it had recorded. Never moves an event that a consumer, an endpoint, a delivery or a job
 * still needs. With `isDryRun` nothing is written.
 */
export async function archiveEvents(
  { database }: { database: Database },
  request: {
    before: Date;
    folder: string;
    isDryRun: boolean;
    fileEvents?: number;
    deletedAtOnce?: number;
    observe?: Observer;
  },
): Promise<ArchivedApp[]> {
  const archived: ArchivedApp[] = [];
  for (const reach of await reachOfApps(database)) archived.push(await archiveApp(database, reach, request));
  return archived;
}

async function archiveApp(
  database: Database,
  { appId, archived, through, hold }: Reach,
  request: Parameters<typeof archiveEvents>[1],
): Promise<ArchivedApp> {
  const { before, isDryRun, fileEvents = FILE_EVENTS } = request;
  const moved = { events: 0, files: 0, archivedThrough: archived };
  const finished = (file: Pick<EventArchiveFile, 'eventCount' | 'lastSequence'>) => {
    moved.events += file.eventCount;
    moved.files += 1;
    moved.archivedThrough = file.lastSequence;
  };
  if (!isDryRun) {
    for (const file of await unfinishedFiles(database, appId)) {
      await finish(database, file, request);
      finished(file);
    }
  }
  for (;;) {
    const after = moved.archivedThrough;
    const range = await nextRange(database, { appId, after, through, before, limit: fileEvents });
    if (!range) break;
    const eventCount = range.count;
    if (isDryRun) {
      finished({ eventCount, lastSequence: range.last });
      continue;
    }
    const { first: firstSequence, last: lastSequence, until } = range;
    const name = archiveFileName(appId, range);
    const folder = resolve(request.folder);
    const file = await database.eventArchiveFile
      .create({ data: { appId, firstSequence, lastSequence, eventCount, until, folder, name } })
      .catch((error: unknown) => {
        if (!isTaken(error)) throw error;
        throw new GatewayError('CONFLICT', `Another archive has begun at event ${firstSequence} of app ${appId}.`);
      });
    await request.observe?.('RESERVED');
    await finish(database, file, request);
    finished(file);
  }
  return { appId, ...moved, hold: (await isHeld(database, { appId, after: through, before })) ? hold : null };
}

function isTaken(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** Whether an event that is old enough stays in the table. */
async function isHeld(
  database: Database,
  { appId, after, before }: { appId: string; after: bigint; before: Date },
): Promise<boolean> {
  const next = await database.event.findFirst({
    where: { appId, sequence: { gt: after } },
    orderBy: { sequence: 'asc' },
    select: { createdAt: true },
  });
  return next !== null && next.createdAt < before;
}

/** Writes a recorded range unless its file is there, and deletes its events. */
async function finish(
  database: Database,
  file: EventArchiveFile,
  { deletedAtOnce = DELETED, observe }: Pick<Parameters<typeof archiveEvents>[1], 'deletedAtOnce' | 'observe'>,
): Promise<void> {
  const path = join(file.folder, file.name);
  const sha256 = await writtenHash(database, file, observe);
  if ((await hashOfFile(path)) !== sha256) {
    throw new GatewayError(
      'CONFLICT',
      `${path} is not there or has changed since it was written. Nothing was deleted.`,
      {
        meta: { path, sha256 },
      },
    );
  }
  await addToManifest(path, sha256);
  await observe?.('RECORDED');
  for (;;) {
    const position = await deleteArchived(database, { file, limit: deletedAtOnce });
    await observe?.('DELETED');
    if (position >= file.lastSequence) return;
  }
}

async function writtenHash(database: Database, file: EventArchiveFile, observe: Observer | undefined): Promise<string> {
  if (file.sha256 !== null) return file.sha256;
  const { appId, firstSequence, lastSequence, eventCount: count } = file;
  const written = await writeArchiveFile(join(file.folder, file.name), { events: pages(database, file), count });
  await observe?.('WRITTEN');
  await database.eventArchiveFile.update({
    where: { appId_firstSequence: { appId, firstSequence }, lastSequence },
    data: written,
  });
  return written.sha256;
}

async function* pages(
  database: Database,
  { appId, firstSequence, lastSequence }: EventArchiveFile,
): AsyncGenerator<SequencedEvent[]> {
  let after = firstSequence - 1n;
  while (after < lastSequence) {
    const read = await readEvents(database, { appId, after, limit: READ });
    const page = read.filter(({ sequence }) => sequence <= lastSequence);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.sequence ?? lastSequence;
  }
}
