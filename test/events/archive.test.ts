/** Old events are moved to files completely and once despite any interruption, and never if an event is still needed. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Database, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { archiveEvents } from '../../src/events/archive/archive-events.ts';
import { reactToEventJob, reactToEventKey } from '../../src/events/react-job.ts';
import { readEvents } from '../../src/events/store.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { queueDeliveries } from '../../src/events/webhooks/queue-deliveries.ts';
import { newId } from '../../src/platform/identifier.ts';
import { addJob } from '../../src/platform/jobs.ts';
import { freshDatabase } from '../setup/database/database.ts';

const before = new Date('2026-03-01T00:00:00Z');

let database: Database;
let folder: string;
let appId: string;

beforeEach(async () => {
  ({ database } = await freshDatabase());
  folder = mkdtempSync(join(tmpdir(), 'sluice-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  appId = await newApp();
});

async function newApp(): Promise<string> {
  const [merchantId, id] = [newId(), newId()];
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id, merchantId, name: 'A', mode: 'TEST' } });
  return id;
}

/** Appends events of these days, oldest first, which all consumers have handled. */
async function append(days: readonly string[], app = appId): Promise<void> {
  const events = await transaction(database, (tx) =>
    appendEvents(
      tx,
      app,
      days.map((day) => ({ type: 'payment_intent.created', resourceId: newId(), data: { day, amount: '10.00' } })),
    ),
  );
  for (const [index, { id }] of events.entries()) {
    await database.event.update({ where: { id }, data: { createdAt: new Date(`${days[index]}T12:00:00Z`) } });
  }
  await database.eventConsumer.updateMany({
    where: { appId: app },
    data: { position: events.at(-1)?.sequence ?? 0n },
  });
}

const run = (options: Partial<Parameters<typeof archiveEvents>[1]> = {}) =>
  archiveEvents({ database }, { before, folder, isDryRun: false, ...options });
const kept = async (app = appId) =>
  (await database.event.findMany({ where: { appId: app }, orderBy: { sequence: 'asc' } })).map((row) =>
    Number(row.sequence),
  );
const files = (app = appId) =>
  readdirSync(join(folder, app))
    .filter((name) => name.endsWith('.gz'))
    .sort();
const lines = (app = appId) =>
  files(app).flatMap((name) =>
    gunzipSync(readFileSync(join(folder, app, name)))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
const sequences = (app = appId) => lines(app).map(({ sequence }) => sequence);
const readAfter = async (after: bigint) =>
  (await readEvents(database, { appId, after, limit: 100 })).map(({ sequence }) => Number(sequence));

it('moves the old events of each app into one file per month, with a manifest', async () => {
  const other = await newApp();
  await append(['2026-01-05', '2026-01-06', '2026-02-01', '2026-03-02']);
  await append(['2026-02-10', '2026-04-01'], other);
  const [first] = await database.event.findMany({ where: { appId }, orderBy: { sequence: 'asc' } });
  const archived = await run();
  expect(archived.find((app) => app.appId === appId)).toMatchObject({
    events: 3,
    files: 2,
    archivedThrough: 3n,
    hold: null,
  });
  expect(files()).toEqual(['2026-01-000000000001-000000000002.jsonl.gz', '2026-02-000000000003-000000000003.jsonl.gz']);
  expect(lines()[0]).toEqual({
    id: first?.id,
    type: 'payment_intent.created',
    sequence: 1,
    timestamp: '2026-01-05T12:00:00.000Z',
    appId,
    data: { day: '2026-01-05', amount: '10.00' },
  });
  expect([await kept(), sequences(other), await kept(other)]).toEqual([[4], [1], [2]]);
  const manifest = readFileSync(join(folder, appId, 'SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(manifest).toEqual(
    files().map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, appId, name)))
        .digest('hex');
      return `${hash}  ${name}`;
    }),
  );
  const rows = await database.eventArchiveFile.findMany({ where: { appId }, orderBy: { firstSequence: 'asc' } });
  expect(rows.map(({ sha256, name }) => `${sha256}  ${name.split('/')[1]}`)).toEqual(manifest);
});

it('adds the next files on a second run, and leaves no gap in the sequence', async () => {
  await append(['2026-01-05', '2026-02-01', '2026-03-02']);
  await run({ before: new Date('2026-02-01T00:00:00Z') });
  await run();
  await append(['2026-04-01']);
  expect([sequences(), await kept()]).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(
    readFileSync(join(folder, appId, 'SHA256SUMS'), 'utf8')
      .trimEnd()
      .split('\n'),
  ).toHaveLength(2);
});

it('reports the same result in a dry run and changes nothing', async () => {
  await append(['2026-01-05', '2026-02-01', '2026-03-02']);
  const planned = await run({ isDryRun: true });
  expect([await kept(), readdirSync(folder), await database.eventArchiveFile.count()]).toEqual([[1, 2, 3], [], 0]);
  expect(await run()).toEqual(planned);
});

it.each(['RESERVED', 'WRITTEN', 'RECORDED', 'DELETED'] as const)(
  'continues a run that was killed when a file is %s, without losing or duplicating an event',
  async (killedAt) => {
    await append(['2026-01-05', '2026-01-06', '2026-01-07', '2026-02-01', '2026-03-02']);
    const killed = run({
      fileEvents: 2,
      observe: (step) => {
        if (step === killedAt) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    // The cutoff of the next run is earlier, but it finishes the work that was begun.
    await run({ before: new Date('2026-01-06T00:00:00Z'), fileEvents: 2 });
    expect([sequences(), await kept()]).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    await run({ fileEvents: 2 });
    expect([sequences(), await kept()]).toEqual([[1, 2, 3, 4], [5]]);
    expect(await readAfter(4n)).toEqual([5]);
  },
);

it('removes the partial file of a killed run and continues an interrupted deletion', async () => {
  await append(['2026-01-05', '2026-01-06', '2026-01-07', '2026-03-02']);
  const kill = (step: string) => {
    if (step === 'DELETED') throw new Error('killed');
  };
  await expect(run({ deletedAtOnce: 2, observe: kill })).rejects.toThrow('killed');
  expect([await kept(), sequences()]).toEqual([
    [3, 4],
    [1, 2, 3],
  ]);
  await expect(readAfter(1n)).rejects.toMatchObject({ meta: { archivedThrough: '2' } });
  expect(await readAfter(2n)).toEqual([3, 4]);
  await run();
  expect([await kept(), sequences()]).toEqual([[4], [1, 2, 3]]);
  await append(['2026-04-05']);
  await expect(
    run({ before: new Date('2027-01-01T00:00:00Z'), observe: () => Promise.reject(new Error('killed')) }),
  ).rejects.toThrow();
  const [begun] = await database.eventArchiveFile.findMany({ where: { sha256: null } });
  writeFileSync(join(folder, `${begun?.name}.0.partial`), 'half a file');
  await run({ before: new Date('2027-01-01T00:00:00Z') });
  expect(readdirSync(join(folder, appId)).filter((name) => name.includes('partial'))).toEqual([]);
  expect([await kept(), sequences()]).toEqual([[], [1, 2, 3, 4, 5]]);
});

it('allows two concurrent runs', async () => {
  const days = Array.from(
    { length: 40 },
    (_, index) => `2026-0${index < 20 ? 1 : 2}-${String(1 + (index % 20)).padStart(2, '0')}`,
  );
  await append([...days, '2026-03-02']);
  await Promise.allSettled([run({ fileEvents: 7, deletedAtOnce: 2 }), run({ fileEvents: 7, deletedAtOnce: 3 })]);
  await run({ fileEvents: 7 });
  expect([sequences(), await kept()]).toEqual([days.map((_, index) => index + 1), [41]]);
});

it('deletes nothing if the written file is missing or has changed', async () => {
  await append(['2026-01-05', '2026-03-02']);
  await expect(
    run({
      observe: (step) => {
        if (step === 'RECORDED') throw new Error('killed');
      },
    }),
  ).rejects.toThrow('killed');
  writeFileSync(join(folder, appId, files()[0] ?? ''), 'something else');
  await expect(run()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await kept()).toEqual([1, 2]);
});

it('keeps events that a consumer, a delivery or a job still needs', async () => {
  await append(['2026-01-05', '2026-01-06', '2026-01-07']);
  await database.eventConsumer.update({
    where: { consumer_appId: { consumer: 'reactions', appId } },
    data: { position: 1n },
  });
  expect(await run()).toMatchObject([{ events: 1, archivedThrough: 1n, hold: 'CONSUMER' }]);
  await database.eventConsumer.updateMany({ where: { appId }, data: { position: 3n } });
  const key = reactToEventKey({ appId, sequence: 3n });
  await transaction(database, (tx) => addJob(tx, reactToEventJob, { appId, sequence: '3' }, { key }));
  expect(await run()).toMatchObject([{ events: 1, archivedThrough: 2n, hold: 'REACTION' }]);
});

it('keeps an event as long as one of its deliveries exists', async () => {
  const endpoint = await createWebhookEndpoint(
    { database, privateAddresses: true },
    { appId, input: { url: 'http://127.0.0.1:9', events: ['*'] } },
  );
  await append(['2026-01-05', '2026-01-06', '2026-01-07']);
  await queueDeliveries({ database }, { appId, first: 1n, last: 3n });
  await database.webhookDelivery.updateMany({ where: { sequence: { lt: 3n } }, data: { status: 'DELIVERED' } });
  expect(await run()).toMatchObject([{ events: 0, hold: 'WEBHOOK' }]);
  await database.webhookDelivery.deleteMany({ where: { sequence: { lt: 3n } } });
  expect(await run()).toMatchObject([{ events: 2, archivedThrough: 2n, hold: 'WEBHOOK' }]);
  await database.webhookEndpoint.delete({ where: { id: endpoint.id } });
  expect(await run()).toMatchObject([{ events: 1, archivedThrough: 3n, hold: null }]);
});

it('rejects a position before archived events and reads on from any later one', async () => {
  await append(['2026-01-05', '2026-01-06', '2026-03-02', '2026-03-03']);
  await run();
  expect([await readAfter(2n), await readAfter(3n), await readAfter(4n)]).toEqual([[3, 4], [4], []]);
  await expect(readAfter(1n)).rejects.toMatchObject({
    code: 'EXPIRED',
    param: 'after',
    meta: { archivedThrough: '2' },
  });
  await expect(readEvents(database, { appId, after: 0n, limit: 9, types: ['invoice.paid'] })).rejects.toMatchObject({
    code: 'EXPIRED',
  });
});
