import pg from 'pg';
import WebSocket from 'ws';
import { z } from 'zod';
import { openDatabase } from '../../prisma/client.ts';
import type { Bench } from '../bench.ts';
import { appendEventsAtARate } from '../load/append-events-at-a-rate.ts';
import { percentile } from '../load/load.ts';
import { seedIntents } from '../seeds/seed-intents.ts';
import { partMemoryKb } from './measure-memory.ts';

const CONNECTING = 50;
const LIMIT_MS = 120_000;
const ownDocument = `subscription ($id: ID!) { paymentIntentUpdated(id: $id) { id externalId status amount currency metadata updatedAt } }`;
const allDocument = 'subscription { events { sequence type data } }';

const messageSchema = z.object({ type: z.string(), payload: z.unknown().optional() });
const pushSchema = z.object({
  data: z.object({
    paymentIntentUpdated: z.object({ externalId: z.string().nullable() }).optional(),
    events: z.object({ data: z.object({ number: z.number().optional() }) }).optional(),
  }),
});

/** The updates that one follower has received, with their times. */
type Follower = { begun: boolean; came: { number: number; at: number }[]; close(): void };

/** One API process, many graphql-ws connections: each follows a payment of its own, some follow everything. */
export async function measureSubscribers({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl } = installation;
  await seedIntents(databaseUrl, { appId: demo.appId, count: sizes.subscribers });
  const intentIds = await newestIntents(databaseUrl, { appId: demo.appId, count: sizes.subscribers });
  const before = partMemoryKb(installation, 'api.pid');
  const url = demo.graphqlUrl.replace(/^http/, 'ws');
  const open = (query: string, variables: object) => follow({ url, key: demo.secretKey, query, variables });
  const own: Follower[] = [];
  for (let first = 0; first < intentIds.length; first += CONNECTING) {
    const ids = intentIds.slice(first, first + CONNECTING);
    own.push(...(await Promise.all(ids.map((id) => open(ownDocument, { id })))));
    await until(() => own.every((one) => one.begun));
  }
  const all = await Promise.all(Array.from({ length: sizes.followers }, () => open(allDocument, {})));
  const perSubscriberKb = (partMemoryKb(installation, 'api.pid') - before) / (own.length + all.length);
  print(`${own.length + all.length} follow, ${perSubscriberKb.toFixed(1)} KiB each`);
  const database = openDatabase({ url: databaseUrl, poolSize: 4 });
  const count = sizes.eventsPerSecond * sizes.seconds;
  let committedAt = new Map<number, number>();
  try {
    committedAt = await appendEventsAtARate(database, {
      appId: demo.appId,
      intentIds,
      count,
      perSecond: sizes.eventsPerSecond,
    });
    const arrived = (followers: Follower[]) => followers.reduce((sum, one) => sum + one.came.length, 0);
    await until(() => arrived(own) >= count && arrived(all) >= count * all.length);
  } finally {
    await database.$disconnect();
    for (const one of [...own, ...all]) one.close();
  }
  const row = (name: string, followers: Follower[]) => {
    const delays = followers.flatMap((one) => one.came.map(({ number, at }) => at - (committedAt.get(number) ?? at)));
    return `| ${followers.length} ${name} | ${delays.length} | ${percentile(delays, 50).toFixed(0)} | ${percentile(delays, 99).toFixed(0)} | ${perSubscriberKb.toFixed(1)} |`;
  };
  const rows = [row('follow a payment each', own), row('follow everything', all)].join('\n');
  print(rows);
  return `| connections, ${sizes.eventsPerSecond} events/s for ${sizes.seconds} s | messages | commit → client p50 ms | p99 ms | KiB of the API each |\n|---|---:|---:|---:|---:|\n${rows}`;
}

function follow(request: { url: string; key: string; query: string; variables: object }): Promise<Follower> {
  const { key, query, variables } = request;
  const socket = new WebSocket(request.url, 'graphql-transport-ws');
  const follower: Follower = { begun: false, came: [], close: () => socket.terminate() };
  const send = (message: object) => socket.send(JSON.stringify(message));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`A subscriber was cut: ${code}.`)));
    socket.once('open', () => send({ type: 'connection_init', payload: { 'x-api-key': key } }));
    socket.on('message', (text) => {
      const { type, payload } = messageSchema.parse(JSON.parse(String(text)));
      if (type === 'ping') send({ type: 'pong' });
      if (type === 'connection_ack') {
        send({ type: 'subscribe', id: '1', payload: { query, variables } });
        resolve(follower);
      }
      if (type === 'error') throw new Error(JSON.stringify(payload));
      if (type !== 'next') return;
      follower.begun = true;
      const { data } = pushSchema.parse(payload);
      const number = Number(data.paymentIntentUpdated?.externalId ?? data.events?.data.number ?? 0);
      if (number > 0) follower.came.push({ number, at: Date.now() });
    });
  });
}

async function newestIntents(databaseUrl: string, request: { appId: string; count: number }): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query<{ id: string }>(
      `UPDATE payment_intent SET external_id = NULL WHERE id IN
         (SELECT id FROM payment_intent WHERE app_id = $1 ORDER BY id DESC LIMIT $2) RETURNING id`,
      [request.appId, request.count],
    );
    return found.rows.map((row) => row.id);
  } finally {
    await client.end();
  }
}

async function until(isDone: () => boolean): Promise<void> {
  const endsAt = Date.now() + LIMIT_MS;
  while (!isDone()) {
    if (Date.now() > endsAt) throw new Error('Not all updates arrived.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
