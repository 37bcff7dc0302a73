/** A worker's memory grows neither with the number of events that it has sent nor with the number of its endpoints. */
import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import { deleteWebhookEndpoint } from '../../src/events/webhooks/delete-webhook-endpoint.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { collectGarbage } from '../setup/collect-garbage.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openWebhookApp } from '../setup/receivers/webhooks.ts';
import { onTeardown } from '../setup/teardown.ts';

const EVENTS_A_ROUND = 50;
const ENDPOINTS_A_ROUND = 8;
const GROWTH_LIMIT_BYTES = 4 * 1024 ** 2;

let database: Database;
beforeAll(async () => {
  database = (await freshDatabase()).database;
});

/** The number of open sockets and timers, and the heap in use. */
function held(): { sockets: number; timers: number; heap: number } {
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  const count = (name: string) => resources.filter((resource) => resource === name).length;
  return { sockets: count('TCPSocketWrap'), timers: count('Timeout'), heap: process.memoryUsage().heapUsed };
}

it('uses no more memory after thousands of webhooks to new endpoints than after the first ones', async () => {
  const app = await openWebhookApp(database);
  let received = 0;
  // Returns 500 one time in five, and would keep every connection open.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    received += 1;
    request.resume();
    response.writeHead(received % 5 === 0 ? 500 : 200, { connection: 'keep-alive' }).end('x'.repeat(2048));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
  const runner = runWebhooks({ ...app.world, clock: { now: () => new Date() }, log: silentLog });
  onTeardown(() => runner.stop());
  const untried = () => database.webhookDelivery.count({ where: { attempts: 0 } });
  const round = async () => {
    const endpoints = await Promise.all(Array.from({ length: ENDPOINTS_A_ROUND }, () => app.endpoint({ url })));
    await app.append(EVENTS_A_ROUND);
    await expect.poll(untried, { timeout: 60_000 }).toBe(0);
    for (const { id } of endpoints) await deleteWebhookEndpoint(app.world, { scope: app.scope, id });
  };
  for (let warm = 0; warm < 2; warm += 1) await round();
  await expect.poll(() => held().sockets, { timeout: 10_000 }).toBeLessThan(20);
  const before = held();
  for (let count = 0; count < 5; count += 1) await round();
  expect(received).toBeGreaterThan(7 * EVENTS_A_ROUND * ENDPOINTS_A_ROUND - 1);
  await expect.poll(() => held().sockets, { timeout: 10_000 }).toBeLessThanOrEqual(before.sockets);
  await expect.poll(() => held().timers, { timeout: 10_000 }).toBeLessThanOrEqual(before.timers + 2);
  await expect.poll(() => held().heap - before.heap, { timeout: 30_000 }).toBeLessThan(GROWTH_LIMIT_BYTES);
});
