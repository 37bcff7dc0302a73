/** Clients whose position in the sequence was archived while they were offline. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSluice, type Sluice } from '../../packages/sdk/src/index.ts';
import { createReceiver, memoryStore } from '../../packages/sdk/src/receiver/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { runOperation } from '../operations/run-operation.ts';
import { openRestApi } from '../setup/api/rest.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-archive-'));
let sluice: Sluice;
let id: string;

beforeAll(async () => {
  const api = await openRestApi();
  const { appId, secretKey } = api.merchantA;
  sluice = createSluice({ baseUrl: api.url, apiKey: secretKey });
  id = (await sluice.paymentIntents.create({ amount: '1' })).id;
  await sluice.paymentIntents.cancel(id);
  await sluice.paymentIntents.create({ amount: '2' });
  const old = new Date('2026-01-05T12:00:00Z');
  await api.database.event.updateMany({ where: { appId, sequence: { lte: 2n } }, data: { createdAt: old } });
  await api.database.eventConsumer.updateMany({ where: { appId }, data: { position: 3n } });
  const archive = ['archive', '--before', '2026-02-01', '--to', folder];
  const { code } = await runOperation({ database: api.database, clock: systemClock }, archive);
  expect(code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a watched payment restarts with its complete current state', async () => {
  for await (const { status } of sluice.paymentIntents.watch(id, { after: 1 })) {
    expect(status).toBe('CANCELLED');
    break;
  }
});

it('following archived events fails with the number to continue after', async () => {
  const missing = sluice.events.follow({ after: 1 }).next();
  await expect(missing).rejects.toMatchObject({ code: 'EXPIRED', message: expect.stringMatching(/\b2\b/) });
  const { value } = await sluice.events.follow({ after: 2 }).next();
  expect(value).toMatchObject({ sequence: 3 });
});

it('a receiver reports archived events without handling any, and continues after the given number', async () => {
  const handled: number[] = [];
  const open = (startAfter: number) =>
    createReceiver({
      ...{ sluice, secret: 'whsec_AAAA', store: memoryStore({ startAfter }) },
      handle: ({ sequence }) => void handled.push(sequence),
    });
  const late = open(1);
  await expect(late.catchUp()).rejects.toMatchObject({ code: 'EXPIRED' });
  late.close();
  expect(handled).toEqual([]);
  await open(2).catchUp();
  expect(handled).toEqual([3]);
});
