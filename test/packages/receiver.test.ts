/** The receiver against a running API: order, duplicates, failures, downtime, several processes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { createSluice, type SluiceEvent, webhooks } from '../../packages/sdk/src/index.ts';
import { fileStore } from '../../packages/sdk/src/receiver/file-store.ts';
import {
  type CursorStore,
  createReceiver,
  memoryStore,
  postgresStore,
  type ReceiverOptions,
} from '../../packages/sdk/src/receiver/index.ts';
import { newTestApp } from '../setup/api/api.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const api = await openRestApi();
const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;

/** Creates a separate app for each test, so that its sequence has only events of the test. */
async function openShop() {
  const { secretKey } = await newTestApp(api.world, { name: 'Shop', mode: 'TEST' });
  let reads = 0;
  const sluice = createSluice({
    baseUrl: api.url,
    apiKey: secretKey,
    fetch: (input, init) => {
      if (String(input).includes('/events')) reads += 1;
      return fetch(input, init);
    },
  });
  const happen = async (times = 1) => {
    for (let time = 0; time < times; time += 1) await sluice.paymentIntents.create({ amount: '1' });
  };
  return { sluice, happen, reads: () => reads };
}

function openOne<Transaction = undefined>(options: Omit<ReceiverOptions<Transaction>, 'secret' | 'onError'>) {
  const errors: unknown[] = [];
  const receiver = createReceiver<Transaction>({ ...options, secret, onError: (error) => errors.push(error) });
  onTeardown(async () => receiver.close());
  return { receiver, errors };
}

/** A webhook of the event with this number, as the gateway would send it. */
async function webhook(sequence: number | undefined, withSecret = secret): Promise<Request> {
  const body = JSON.stringify({ id: `e${sequence}`, type: 'payment_intent.created', sequence, data: {} });
  const headers = await webhooks.sign({ id: `e${sequence}`, body, secret: withSecret });
  return new Request('https://shop.example/webhooks', { method: 'POST', body, headers });
}

describe('a webhook', () => {
  it('starts the receiver, which handles all events up to it once and in order', async () => {
    const { sluice, happen, reads } = await openShop();
    const handled: number[] = [];
    const { receiver } = openOne({
      sluice,
      store: memoryStore(),
      handle: ({ sequence }) => void handled.push(sequence),
    });
    await happen(3);
    // The first and the second were lost, and the third arrives twice.
    expect((await receiver.fetch(await webhook(3))).status).toBe(204);
    expect((await receiver.fetch(await webhook(3))).status).toBe(204);
    expect((await receiver.fetch(await webhook(1))).status).toBe(204);
    expect(handled).toEqual([1, 2, 3]);
    expect(reads()).toBe(2);
  });

  it('with an invalid signature returns 400 and reads nothing', async () => {
    const { sluice, reads } = await openShop();
    const { receiver } = openOne({ sluice, store: memoryStore(), handle: () => undefined });
    const forged = await webhook(1, `whsec_${Buffer.alloc(32).toString('base64')}`);
    expect((await receiver.fetch(forged)).status).toBe(400);
    expect((await receiver.fetch(new Request('https://shop.example', { method: 'POST', body: '{}' }))).status).toBe(
      400,
    );
    expect(reads()).toBe(0);
  });

  it('of another app is reported, because its events cannot be read', async () => {
    const { sluice, happen } = await openShop();
    const { receiver, errors } = openOne({ sluice, store: memoryStore(), handle: () => undefined });
    await happen(2);
    expect((await receiver.fetch(await webhook(7))).status).toBe(503);
    expect(errors).toMatchObject([{ name: 'SluiceUsageError', message: expect.stringContaining('event 7 is not in') }]);
  });

  it('for a ping returns 204 and reads nothing', async () => {
    const { sluice, reads } = await openShop();
    const { receiver } = openOne({ sluice, store: memoryStore(), handle: () => undefined });
    expect((await receiver.fetch(await webhook(undefined))).status).toBe(204);
    expect(reads()).toBe(0);
  });

  it('that arrives with another one starts one run, and later events are handled in the next', async () => {
    const { sluice, happen } = await openShop();
    const handled: number[] = [];
    let active = 0;
    const { receiver } = openOne({
      sluice,
      store: memoryStore(),
      handle: async ({ sequence }) => {
        active += 1;
        expect(active).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 20));
        handled.push(sequence);
        active -= 1;
      },
    });
    await happen(4);
    const first = receiver.fetch(await webhook(4));
    await happen(2);
    const rest = await Promise.all([receiver.fetch(await webhook(5)), receiver.fetch(await webhook(6)), first]);
    expect(rest.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(handled).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('a handler that fails', () => {
  it('stops the cursor, and is retried with the same event until it succeeds', async () => {
    const { sluice, happen } = await openShop();
    const handled: string[] = [];
    let isBroken = true;
    const { receiver, errors } = openOne({
      sluice,
      store: memoryStore(),
      handle: async ({ sequence }) => {
        if (sequence === 2 && isBroken) throw new Error('The database is away.');
        handled.push(`${sequence}`);
      },
    });
    await happen(3);
    expect((await receiver.fetch(await webhook(3))).status).toBe(503);
    expect(handled).toEqual(['1']);
    expect(errors).toEqual([new Error('The database is away.')]);
    isBroken = false;
    // Without another webhook, the receiver retries by itself.
    await expect.poll(() => handled, { timeout: 10_000 }).toEqual(['1', '2', '3']);
    await expect(receiver.catchUp()).resolves.toBeUndefined();
  });
});

describe('downtime', () => {
  it('is recovered from by the next process with a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-receiver-'));
    onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'cursor');
    const { sluice, happen } = await openShop();
    const handled: number[] = [];
    const start = () =>
      openOne({ sluice, store: fileStore(path), handle: ({ sequence }) => void handled.push(sequence) }).receiver;
    await happen(2);
    await start().catchUp();
    expect(readFileSync(path, 'utf8')).toBe('2\n');
    await happen(130);
    await start().catchUp();
    expect(handled).toEqual(Array.from({ length: 132 }, (_, index) => index + 1));
    expect(existsSync(`${path}.new`)).toBe(false);
    writeFileSync(path, 'two');
    await expect(start().catchUp()).rejects.toThrow('does not contain a sequence number');
  });

  it('can be followed by a start after a given number', async () => {
    const { sluice, happen } = await openShop();
    const handled: number[] = [];
    await happen(3);
    const store = memoryStore({ startAfter: 2 });
    await openOne({ sluice, store, handle: ({ sequence }) => void handled.push(sequence) }).receiver.catchUp();
    expect(handled).toEqual([3]);
  });
});

describe('a receiver in PostgreSQL', () => {
  const pool = new pg.Pool({ connectionString: api.databaseUrl, max: 8 });
  onTeardown(() => pool.end());

  const openStore = async (name: string) => {
    await pool.query(
      'CREATE TABLE IF NOT EXISTS shipped (receiver text, sequence integer, UNIQUE (receiver, sequence))',
    );
    return postgresStore<pg.PoolClient>({ pool, name });
  };
  const ship = (name: string) => async (event: SluiceEvent, client: pg.PoolClient) => {
    await client.query('INSERT INTO shipped VALUES ($1, $2)', [name, event.sequence]);
  };
  const shipped = async (name: string) =>
    (await pool.query('SELECT sequence FROM shipped WHERE receiver = $1 ORDER BY sequence', [name])).rows.map(
      (row) => row.sequence,
    );

  it('commits the writes of the handler and the cursor together', async () => {
    const { sluice, happen } = await openShop();
    const store: CursorStore<pg.PoolClient> = await openStore('together');
    await happen(3);
    const failing = openOne<pg.PoolClient>({
      sluice,
      store,
      handle: async (event, client) => {
        await ship('together')(event, client);
        if (event.sequence === 2) throw new Error('Shipped, and then it broke.');
      },
    });
    await expect(failing.receiver.catchUp()).rejects.toThrow('Shipped, and then it broke.');
    failing.receiver.close();
    expect([await shipped('together'), await store.load()]).toEqual([[1], 1]);
    await openOne<pg.PoolClient>({ sluice, store, handle: ship('together') }).receiver.catchUp();
    expect([await shipped('together'), await store.load()]).toEqual([[1, 2, 3], 3]);
  });

  it('handles each event once in several processes', async () => {
    const { sluice, happen } = await openShop();
    await happen(25);
    const processes = await Promise.all(
      Array.from({ length: 3 }, async () =>
        openOne<pg.PoolClient>({ sluice, store: await openStore('several'), handle: ship('several') }),
      ),
    );
    await Promise.all(processes.map(({ receiver }) => receiver.catchUp()));
    // The table would refuse a second row, and the receiver would report it.
    expect(await shipped('several')).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
  });
});

describe('a mounted receiver', () => {
  it('works in Hono', async () => {
    const { sluice, happen } = await openShop();
    const handled: number[] = [];
    const { receiver } = openOne({
      sluice,
      store: memoryStore(),
      handle: ({ sequence }) => void handled.push(sequence),
    });
    const app = new Hono();
    app.post('/webhooks', (context) => receiver.fetch(context.req.raw));
    await happen();
    const request = await webhook(1);
    const answer = await app.request('/webhooks', {
      method: 'POST',
      body: await request.text(),
      headers: request.headers,
    });
    expect(answer.status).toBe(204);
    expect(handled).toEqual([1]);
  });

  it('works in Express, which has Node requests', async () => {
    const { sluice, happen } = await openShop();
    const handled: number[] = [];
    const { receiver } = openOne({
      sluice,
      store: memoryStore(),
      handle: ({ sequence }) => void handled.push(sequence),
    });
    const next = vi.fn();
    const server = createServer((request, response) => receiver.express(request, response, next));
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTeardown(async () => void server.close());
    await happen();
    const request = await webhook(1);
    const sent = { method: 'POST', body: await request.text(), headers: request.headers };
    expect((await fetch(`http://127.0.0.1:${port}/`, sent)).status).toBe(204);
    expect(handled).toEqual([1]);
    expect(next).not.toHaveBeenCalled();
  });

  it('reports that a JSON parser has already read the body', async () => {
    const { sluice } = await openShop();
    const { receiver } = openOne({ sluice, store: memoryStore(), handle: () => undefined });
    const request = { headers: {}, body: { parsed: true }, async *[Symbol.asyncIterator]() {} };
    const error = await new Promise<unknown>((resolve) =>
      receiver.express(request, { writeHead: () => ({ end: () => undefined }) }, resolve),
    );
    expect(error).toMatchObject({
      name: 'SluiceUsageError',
      message: expect.stringContaining('before express.json()'),
    });
  });
});
