import { createServer } from 'node:http';
import { z } from 'zod';
import { openDatabase, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freePort } from '../../test/setup/free-port.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import { failingReceiverHead, measureFailingReceiver } from './measure-failing-receiver.ts';

const LIMIT_MS = 300_000;
const OF_A_TRANSACTION = 10;
const ENDPOINTS = 4;

const madeSchema = z.object({ data: z.object({ id: z.string() }) });

/**
 * Measures webhooks to receivers in this process that respond immediately: first to one endpoint, one after another, then to several, then
 * to one that fails one time in five.
 */
export async function measureWebhooks(bench: Bench): Promise<string> {
  const rows: string[] = [];
  for (const endpoints of [1, ENDPOINTS]) rows.push(await measure(bench, endpoints));
  bench.print(rows.join('\n'));
  const failing = await measureFailingReceiver(bench);
  bench.print(failing);
  return `| webhooks, one worker | delivered | per second | event → receiver, all appended at once, p50 ms | p99 ms |\n|---|---:|---:|---:|---:|\n${rows.join('\n')}\n\n${failingReceiverHead}\n${failing}`;
}

async function measure({ installation, sizes }: Bench, endpoints: number): Promise<string> {
  const { demo, databaseUrl } = installation;
  const delays: number[] = [];
  const port = await freePort();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      delays.push(Date.now() - Date.parse(JSON.parse(body).timestamp));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const hooks = `${demo.restUrl}/apps/${demo.appId}/webhooks`;
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ['customer.updated'] });
  const ids: string[] = [];
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    for (let number = 0; number < endpoints; number += 1) {
      const answer = await fetch(hooks, { method: 'POST', headers, body });
      ids.push(madeSchema.parse(await answer.json()).data.id);
    }
    const startedAt = performance.now();
    const expected = Math.ceil(sizes.deliveries / endpoints) * endpoints;
    for (let remaining = expected / endpoints; remaining > 0; remaining -= OF_A_TRANSACTION) {
      const events = Array.from({ length: Math.min(remaining, OF_A_TRANSACTION) }, () => ({
        type: 'customer.updated' as const,
        resourceId: newId(),
        data: { id: newId(), name: 'Ada' },
      }));
      await transaction(database, (tx) => appendEvents(tx, demo.appId, events));
    }
    while (delays.length < expected) {
      if (performance.now() - startedAt > LIMIT_MS) throw new Error(`Only ${delays.length} webhooks came.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const perSecond = (delays.length * 1000) / (performance.now() - startedAt);
    return `| ${endpoints} endpoint${endpoints > 1 ? 's' : ''} | ${delays.length} | ${perSecond.toFixed(0)} | ${percentile(delays, 50).toFixed(0)} | ${percentile(delays, 99).toFixed(0)} |`;
  } finally {
    for (const id of ids) await fetch(`${hooks}/${id}`, { method: 'DELETE', headers });
    await database.$disconnect();
    server.closeAllConnections();
    server.close();
  }
}
