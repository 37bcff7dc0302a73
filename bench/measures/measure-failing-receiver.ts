import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { openDatabase, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freePort } from '../../test/setup/free-port.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';

const PER_SECOND = 20;
const FAILS_EVERY = 5;
const LAG_LIMIT_MS = 30_000;
const POLL_MS = 100;

const madeSchema = z.object({ data: z.object({ id: z.string() }) });
const messageSchema = z.object({ sequence: z.number(), timestamp: z.iso.datetime() });

type Attempts = {
  /** For each event, the time between its transaction and its first attempt. */
  lags: number[];
  /** The sequence numbers of first attempts, in the order of arrival. */
  order: number[];
  requests: number;
  accepted: Set<number>;
};

/**
 * Webhooks to a receiver that answers every fifth request with 500, while events occur at a steady rate. Throws if an event is first sent
 * more than 30 s after it happened, or out of order.
 */
export async function measureFailingReceiver({ installation, sizes }: Bench): Promise<string> {
  const { demo, databaseUrl } = installation;
  const attempts: Attempts = { lags: [], order: [], requests: 0, accepted: new Set() };
  const receiver = await openFailingReceiver(attempts);
  const hooks = `${demo.restUrl}/apps/${demo.appId}/webhooks`;
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: receiver.url, events: ['customer.updated'] });
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  let endpointId = '';
  try {
    const answer = await fetch(hooks, { method: 'POST', headers, body });
    endpointId = madeSchema.parse(await answer.json()).data.id;
    const expected = PER_SECOND * sizes.failingSeconds;
    const startedAt = performance.now();
    for (let sent = 0; sent < expected; sent += 1) {
      await wait(Math.max(0, startedAt + (sent * 1000) / PER_SECOND - performance.now()));
      const event = { type: 'customer.updated' as const, resourceId: newId(), data: { id: newId(), name: 'Ada' } };
      await transaction(database, (tx) => appendEvents(tx, demo.appId, [event]));
    }
    const endedAt = performance.now();
    while (attempts.lags.length < expected) {
      if (performance.now() - endedAt > LAG_LIMIT_MS) {
        const missing = expected - attempts.lags.length;
        throw new Error(`${missing} of ${expected} webhooks were not attempted within ${LAG_LIMIT_MS / 1000} s.`);
      }
      await wait(POLL_MS);
    }
    return report(attempts);
  } finally {
    if (endpointId !== '') await fetch(`${hooks}/${endpointId}`, { method: 'DELETE', headers });
    await database.$disconnect();
    receiver.close();
  }
}

function report({ lags, order, requests, accepted }: Attempts): string {
  const worst = Math.max(...lags);
  if (worst > LAG_LIMIT_MS) throw new Error(`A webhook was first attempted after ${Math.round(worst)} ms.`);
  if (order.some((sequence, index) => index > 0 && sequence <= (order[index - 1] ?? 0))) {
    throw new Error('First attempts were not in the order of the sequence.');
  }
  const figures = [percentile(lags, 50), percentile(lags, 99), worst].map((ms) => ms.toFixed(0)).join(' | ');
  return `| ${PER_SECOND} events/s, one request in ${FAILS_EVERY} fails | ${lags.length} | ${requests} | ${accepted.size} | ${figures} |`;
}

export const failingReceiverHead =
  '| webhooks, one worker | events | attempts | delivered by then | event → first attempt p50 ms | p99 ms | worst ms |\n|---|---:|---:|---:|---:|---:|---:|';

async function openFailingReceiver(attempts: Attempts): Promise<{ url: string; close(): void }> {
  const port = await freePort();
  const seen = new Set<number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { sequence, timestamp } = messageSchema.parse(JSON.parse(body));
      attempts.requests += 1;
      const isAccepted = attempts.requests % FAILS_EVERY !== 0;
      response.writeHead(isAccepted ? 204 : 500).end();
      if (isAccepted) attempts.accepted.add(sequence);
      if (seen.has(sequence)) return;
      seen.add(sequence);
      attempts.order.push(sequence);
      attempts.lags.push(Date.now() - Date.parse(timestamp));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}
