/** A steady mixed load: payments of several apps, and clients that read, list and follow them and receive webhooks. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { comeAndGo, everyEvent, everyPayment, oneCheckout } from './come-and-go.ts';
import { openDashboard } from './dashboard-visits.ts';
import { MACHINE } from './evaluate-soak.ts';
import type { Observations } from './observations.ts';
import { openPayerLane, type PaidIntent } from './payer-lane.ts';
import { receiveWebhooks } from './receive-webhooks.ts';

export type LoadOptions = { paymentsPerSecond: number; signal: AbortSignal };
export type LoadWorld = { apps: readonly Demo[]; databaseUrl: string; observations: Observations };

type Paid = PaidIntent & { app: Demo };

const LIMIT_MS = 60_000;
const READS_PER_PAYMENT = 4;
const SUBSCRIBERS = 10;
const SUBSCRIBER_STAYS_MS = 15_000;
const PAYER_STAYS_MS = 5_000;
const STREAM_STAYS_MS = 5_000;
const DASHBOARD_EVERY_MS = 10_000;
const MACHINE_EVERY_MS = 1_000;
/** The number of newest payments from which reads choose. */
const REMEMBERED = 200;

/** Runs until `signal` aborts, and then until all pending payments are settled. */
export async function runLoad(world: LoadWorld, options: LoadOptions): Promise<void> {
  const { apps, observations } = world;
  const [demo] = apps;
  if (!demo) throw new Error('A load needs an app.');
  const lanes = await Promise.all(
    demo.chains.flatMap((chain) => demo.payers.map((payer) => openPayerLane({ demo, observations }, { chain, payer }))),
  );
  const webhooks = await receiveWebhooks(world);
  const dashboard = await openDashboard({ ...world, demo });
  const idle = new pg.Client({ connectionString: world.databaseUrl });
  idle.on('error', (error) => observations.failed(MACHINE, error));
  await idle.connect();
  const paid: Paid[] = [];
  const repeat = (everyMs: number, work: (turn: number) => Promise<unknown>) =>
    repeatUntil(options.signal, everyMs, work);
  const laneMs = (1000 / options.paymentsPerSecond) * lanes.length;
  const readMs = 1000 / (options.paymentsPerSecond * READS_PER_PAYMENT);
  const visitors: Promise<unknown>[] = [];
  const visit = (operation: string, work: () => Promise<unknown>) => {
    visitors.push(work().catch((error: unknown) => observations.failed(operation, error)));
  };
  try {
    await Promise.all([
      ...lanes.map(async (lane, number) => {
        await delay((laneMs * number) / lanes.length);
        await repeat(laneMs, async (turn) => {
          const app = pick(apps, number + turn);
          const intent = await lane.pay(app, (number + turn) % 3 === 0 ? 'PERMIT' : 'DIRECT');
          if (!intent) return;
          paid.push({ ...intent, app });
          if (paid.length > REMEMBERED) paid.shift();
          visit('payer follows', () => followCheckout({ ...intent, app }));
        });
      }),
      repeat(readMs, (turn) => read(world, { turn, paid })),
      ...Array.from({ length: SUBSCRIBERS }, (_, number) =>
        repeat(SUBSCRIBER_STAYS_MS, async (turn) => {
          const app = pick(apps, number);
          const connectionParams = { 'x-api-key': app.secretKey };
          const subscriber =
            number % 2 === 0
              ? { connectionParams, query: everyEvent, variables: {} }
              : { connectionParams, query: everyPayment, variables: { filter: {} } };
          const stayMs = SUBSCRIBER_STAYS_MS * (0.5 + ((number + turn) % 5) / 10);
          const leaves = (number + turn) % 2 === 0 ? 'politely' : 'abruptly';
          await comeAndGo(app, { subscriber, stayMs, leaves }).catch((error: unknown) =>
            observations.failed('subscribe', error),
          );
        }),
      ),
      repeat(STREAM_STAYS_MS, (turn) =>
        followStream(pick(apps, turn)).catch((error: unknown) => observations.failed('event stream', error)),
      ),
      repeat(DASHBOARD_EVERY_MS, () => dashboard.visit()),
      repeat(MACHINE_EVERY_MS, () => observations.timed(MACHINE, () => idle.query('SELECT 1'))),
    ]);
    await Promise.all([...lanes.map((lane) => lane.atRest()), ...visitors]);
  } finally {
    webhooks.stop();
    await dashboard.close();
    await idle.end();
  }
}

/** Acts as the payer's page after the payment: reads its session, follows it for a while and disconnects. */
async function followCheckout({ app, sessionId, clientSecret }: Paid): Promise<void> {
  const connectionParams = { 'x-client-secret': clientSecret };
  const subscriber = { connectionParams, query: oneCheckout, variables: { id: sessionId } };
  await comeAndGo(app, { subscriber, stayMs: PAYER_STAYS_MS, leaves: 'abruptly' });
}

async function followStream({ graphqlUrl, secretKey }: Demo): Promise<void> {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'x-api-key': secretKey, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: everyEvent }),
    signal: AbortSignal.timeout(STREAM_STAYS_MS),
  });
  try {
    await response.text();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
  }
}

async function read({ apps, observations }: LoadWorld, { turn, paid }: { turn: number; paid: Paid[] }): Promise<void> {
  const { timed } = observations;
  const one = paid[(turn * 7) % Math.max(1, paid.length)];
  const app = one?.app ?? pick(apps, turn);
  const get = (path: string) => openGatewayClient(app, LIMIT_MS).call(z.unknown(), { method: 'GET', path });
  switch (turn % 5) {
    case 0:
      await timed('list intents', () => get('/payments/intents?pageSize=20'));
      return;
    case 1:
      await timed('list events', () => get(`/events?after=${turn}&limit=50`));
      return;
    case 2:
      if (one) await timed('read checkout as payer', () => readCheckout(one));
      return;
    default:
      if (one) await timed('read intent', () => get(`/payments/intents/${one.id}`));
  }
}

async function readCheckout({ app, sessionId, clientSecret }: Paid): Promise<void> {
  const query = 'query ($id: ID!) { checkout(id: $id) { now session { id status amount } payment { status txHash } } }';
  const response = await fetch(app.graphqlUrl, {
    method: 'POST',
    headers: { 'x-client-secret': clientSecret, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { id: sessionId } }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors":[')) throw new Error(text.slice(0, 500));
}

function pick(apps: readonly Demo[], number: number): Demo {
  const app = apps[number % apps.length];
  if (!app) throw new Error('A load needs an app.');
  return app;
}

/** Runs one turn at a time. Each starts at least `everyMs` after the start of the previous one. A turn records its own failures. */
async function repeatUntil(
  signal: AbortSignal,
  everyMs: number,
  work: (turn: number) => Promise<unknown>,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const next = performance.now() + everyMs;
    await work(turn);
    const rest = Math.max(0, next - performance.now());
    await delay(rest, undefined, { signal }).catch(() => undefined);
  }
}
