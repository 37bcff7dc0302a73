/** Two API processes with one database, and a worker that is killed before a receiver has responded. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { callGraphql, openApi, type TestApi } from '../setup/api/api.ts';
import { followSse, followWs, wsClient } from '../setup/api/live.ts';
import { testChains } from '../setup/chains/test-chains.ts';
import { childEnvironment } from '../setup/child-environment.ts';
import { freePort } from '../setup/free-port.ts';
import { firstAttempts, openWebhookApp, upTo } from '../setup/receivers/webhooks.ts';
import { onTeardown } from '../setup/teardown.ts';

let api: TestApi;
let folder: string;
beforeAll(async () => {
  api = await openApi();
  folder = await mkdtemp(join(tmpdir(), 'sluice-processes-'));
  writeFileSync(join(folder, 'chains.json'), JSON.stringify(testChains));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
});

function spawnPart(part: string, environment: Record<string, string>): ChildProcess {
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, part], {
    env: {
      ...childEnvironment,
      DATABASE_URL: api.databaseUrl,
      CHAINS_FILE: join(folder, 'chains.json'),
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
      PRICE_TABLE: 'USDC=1',
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTeardown(async () => void child.kill('SIGKILL'));
  return child;
}

const CREATE = 'mutation { createPaymentIntent(input: { amount: "10.00" }) { id } }';
const create = async (url: string): Promise<string> =>
  (await callGraphql(url, CREATE, {}, { key: api.merchantA.secretKey })).data.createPaymentIntent.id;

describe('two API processes', () => {
  test('send their followers the writes of both, in one sequence', async () => {
    const port = await freePort();
    const child = spawnPart('api', { PORT: String(port) });
    const other = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${other}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(isUp, { timeout: 60_000 }).toBe(200);
    const headers = { 'x-api-key': api.merchantA.secretKey };
    const document = 'subscription { events(after: 0) { sequence resourceId } }';
    const client = wsClient(api.url, headers);
    const here = followWs(client, document);
    const there = await followSse(other, document, {}, headers);
    const written: string[] = [];
    for (const url of [api.url, other, other, api.url]) written.push(await create(url));
    for (const live of [here, there]) {
      for (const [index, resourceId] of written.entries()) {
        expect(await live.next()).toEqual({ data: { events: { sequence: index + 1, resourceId } } });
      }
    }
    // Cancelled in one process, and received from the other.
    const [id = ''] = written;
    const UPDATED = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { status } }';
    const live = await followSse(other, UPDATED, { id }, headers);
    expect(await live.next()).toEqual({ data: { paymentIntentUpdated: { status: 'CREATED' } } });
    await api.graphql(
      'mutation ($id: ID!) { cancelPaymentIntent(id: $id) { id } }',
      { id },
      { key: headers['x-api-key'] },
    );
    expect(await live.next()).toEqual({ data: { paymentIntentUpdated: { status: 'CANCELLED' } } });
    await Promise.all([live.stop(), there.stop(), client.dispose()]);
    child.kill('SIGKILL');
  });
});

describe('a worker that is killed before a receiver has responded', () => {
  test('loses no event: the next worker sends it again with the same id, and then the following events', async () => {
    const { appId } = api.merchantB;
    const received: { headers: Record<string, string>; body: string }[] = [];
    let answers = false;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.push({ headers, body });
        if (answers) response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTeardown(async () => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
    const world = { database: api.database, privateAddresses: true };
    const { secret } = await createWebhookEndpoint(world, { appId, input: { url, events: ['*'] } });
    const make = () => callGraphql(api.url, CREATE, {}, { key: api.merchantB.secretKey });
    await make();
    await make();
    const worker = spawnPart('worker', {});
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(1);
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGKILL');
    await gone;
    answers = true;
    // By the clock of the next process, the dead one's lease is over.
    const clock = { now: () => new Date(Date.now() + 60_000) };
    const runner = runWebhooks({ ...world, clock, log: silentLog });
    const delivered = () => api.database.webhookDelivery.count({ where: { appId, status: 'DELIVERED' } });
    await expect.poll(delivered, { timeout: 20_000 }).toBe(2);
    await runner.stop();
    const ids = received.map(({ headers }) => headers['webhook-id']);
    const bodies = received.map(({ headers, body }) => {
      const { sequence } = JSON.parse(body);
      // Each attempt has a new signature. Those of the runner with the fast clock are in the future.
      new Webhook(secret).verify(body, headers);
      return sequence;
    });
    expect(bodies).toEqual([1, 1, 2]);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe('a worker that is killed while a receiver fails one time in five', () => {
  test('is followed by one that continues in the same order and retries the failures', async () => {
    const app = await openWebhookApp(api.database);
    const endpoint = await app.endpoint();
    const { receiver } = app;
    await app.append(200);
    receiver.answer(() => (receiver.received.length % 5 === 0 ? 500 : 200));
    const worker = spawnPart('worker', {});
    await expect.poll(() => receiver.received.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(40);
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGKILL');
    await gone;
    const before = firstAttempts(receiver).length;
    expect(before).toBeLessThan(200);
    // By the clock of the next process, the dead one's lease is over, and what it recorded as failed is due.
    const clock = { now: () => new Date(Date.now() + 60_000) };
    const runner = runWebhooks({ ...app.world, clock, log: silentLog });
    await expect.poll(() => firstAttempts(receiver).length, { timeout: 30_000 }).toBe(200);
    receiver.answer(200);
    const delivered = () =>
      api.database.webhookDelivery.count({ where: { webhookId: endpoint.id, status: 'DELIVERED' } });
    // At most a few have failed twice, and wait for five minutes.
    await expect.poll(delivered, { timeout: 30_000 }).toBeGreaterThan(180);
    await runner.stop();
    expect(firstAttempts(receiver)).toEqual(upTo(200));
  });
});
