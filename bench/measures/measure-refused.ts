import { once } from 'node:events';
import { parse } from 'graphql';
import { WebSocket } from 'ws';
import { z } from 'zod';
import {
  bestTime,
  HELD_LIMIT_BYTES,
  heldAfterDocuments,
  isWithin,
  type Timing,
} from '../../test/fuzz/hostile/time-refusals.ts';
import { type Cost, costOf, type MeasuredApi, openSender, ownCostOf } from '../../test/setup/api/measured-api.ts';
import type { Bench } from '../bench.ts';
import { type RefusedRequest, refusedRequests } from '../load/refused-requests.ts';
import { forkServer } from '../servers/fork-server.ts';
import { openOwnApi } from '../servers/open-own-api.ts';

type Refused = Timing & { name: string; answer: string; bareMs: number };

const NOTHING: Cost = { medianMs: 0, meanMs: 0, worstMs: 0 };
const SEED = 20_260_301;
const MIB = 1024 * 1024;
const codeSchema = z.object({ code: z.string() });
const answerSchema = z.union([
  z.object({ error: codeSchema }).transform(({ error }) => error.code),
  z
    .object({ errors: z.array(z.object({ extensions: codeSchema })).min(1) })
    .transform(({ errors }) => errors[0]?.extensions.code),
]);

/**
 * CPU time of an API process for each request that it refuses, compared with parsing the same text and with a server that reads the same
 * request and returns the same bytes. Throws if a request is not refused, if a refusal exceeds its limit, or if memory is not released
 * after many distinct documents.
 */
export async function measureRefused({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  const api = await openOwnApi(installation, {});
  const faults = new Set<string>();
  const rows: string[] = [];
  const add = async (measure: () => Promise<Refused>) => {
    const refused = await bestTime(measure);
    rows.push(row(refused));
    print(row(refused));
    if (!isWithin(refused)) faults.add(`${refused.name} costs too much`);
  };
  try {
    for (const request of refusedRequests(demo)) await add(() => measureRequest(api, request, faults));
    await add(() => measureFrames(api));
    await add(() => measureConnections(api));
    const strict = { RATE_LIMIT_KEYLESS_PER_SECOND: '1', TRUSTED_PROXIES: '1' };
    await add(async () => measureTooMany(await openOwnApi(installation, strict)));
    const held = await heldBytes(await openOwnApi(installation, {}), sizes.documents);
    if (held > HELD_LIMIT_BYTES)
      faults.add(`${(held / MIB).toFixed(0)} MiB are held after ${sizes.documents} documents`);
    const memory = `The heap holds ${(held / MIB).toFixed(1)} MiB more after ${sizes.documents.toLocaleString('en')} different documents.`;
    print(memory);
    if (faults.size > 0) throw new Error(`Refusals are not as they must be:\n${[...faults].join('\n')}`);
    return `| refused request | answer | CPU ms, median | mean | worst | of which parsing | times bare |\n|---|---|---:|---:|---:|---:|---:|\n${rows.join('\n')}\n\n${memory}`;
  } finally {
    await api.stop();
  }
}

async function measureRequest(api: MeasuredApi, request: RefusedRequest, faults: Set<string>): Promise<Refused> {
  const sender = openSender(api.url);
  let answer = { status: 0, body: '' };
  try {
    const cost = await costOf(api, async (run) => {
      answer = await sender.send(request.make(run));
    });
    const code = answerSchema.safeParse(JSON.parse(answer.body)).data;
    if (code !== request.code) faults.add(`${request.name} is answered ${answer.status} ${code}, not ${request.code}`);
    const { name, parsed } = request;
    const parsing = parsed ? ownCostOf(() => read(parsed)) : NOTHING;
    const bodyBytes = parsed && parsed.document === undefined ? parsed.json.length : 0;
    return { name, answer: request.code, cost, parsing, bareMs: await bareCost(request, answer.body), bodyBytes };
  } finally {
    sender.close();
  }
}

/** CPU time of a server that reads the same request and returns the same bytes to every caller. */
async function bareCost({ make }: Pick<RefusedRequest, 'make'>, body: string): Promise<number> {
  const bare = await forkServer('bare-bytes.ts', { BODY: body.slice(0, 60_000) });
  const sender = openSender(bare.url);
  try {
    return (await costOf(bare, (run) => sender.send(make(run)))).medianMs;
  } finally {
    sender.close();
    bare.stop();
  }
}

/** Broken documents over one websocket: an error message each. */
async function measureFrames(api: MeasuredApi): Promise<Refused> {
  const socket = await openSocket(api.url);
  const document = `{ ${Array.from({ length: 2_000 }, (_, index) => `f${index}`).join(' ')} }`;
  const frame = (run: number) =>
    JSON.stringify({ type: 'subscribe', id: String(run), payload: { query: `#${run}\n${document}` } });
  try {
    socket.send('{"type":"connection_init"}');
    await message(socket);
    const cost = await costOf(api, (run) => {
      socket.send(frame(run));
      return message(socket);
    });
    const parsing = ownCostOf(() => read({ document, json: frame(0) }));
    const bareMs = await bareCost(
      { make: () => ({ method: 'POST', path: '/', headers: {}, body: frame(0) }) },
      'error',
    );
    return {
      name: '12 KB of unknown fields over an open websocket, no key',
      answer: 'VALIDATION_ERROR',
      cost,
      parsing,
      bodyBytes: 0,
      bareMs,
    };
  } finally {
    socket.terminate();
  }
}

/** A websocket whose first message has a wrong key. */
async function measureConnections(api: MeasuredApi): Promise<Refused> {
  const cost = await costOf(api, async () => {
    const socket = await openSocket(api.url);
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': 'sk_test_x' } }));
    await new Promise((resolve) => socket.once('close', resolve));
  });
  const bareMs = await bareCost({ make: () => ({ method: 'GET', path: '/', headers: { connection: 'close' } }) }, 'no');
  return {
    name: 'a websocket with a wrong key',
    answer: 'closed by 4401',
    cost,
    parsing: NOTHING,
    bodyBytes: 0,
    bareMs,
  };
}

/** Requests beyond the rate limit of an address, which allows one request per second. */
async function measureTooMany(api: MeasuredApi): Promise<Refused> {
  // An address whose bucket other processes have not used.
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' };
  const make = () => ({ method: 'POST', path: '/graphql', headers, body: '{"query":"{ nothing }"}' });
  const sender = openSender(api.url);
  const refused: string[] = [];
  try {
    const cost = await costOf(api, async () => {
      const { status, body } = await sender.send(make());
      if (status === 429) refused.push(body);
    });
    const bareMs = await bareCost({ make }, refused[0] ?? '');
    const answer = refused.length > 0 ? 'RATE_LIMIT_EXCEEDED' : 'none';
    return { name: 'too many requests, no key', answer, cost, parsing: NOTHING, bodyBytes: 0, bareMs };
  } finally {
    sender.close();
    await api.stop();
  }
}

/** Runs in a separate process, whose heap contains nothing else. */
async function heldBytes(api: MeasuredApi, count: number): Promise<number> {
  try {
    return await heldAfterDocuments(api, { count, seed: SEED });
  } finally {
    await api.stop();
  }
}

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return socket;
}

async function message(socket: WebSocket): Promise<void> {
  const end = new AbortController();
  const { signal } = end;
  const closed = once(socket, 'close', { signal }).then(([code]) => {
    throw new Error(`The websocket was closed: ${code}.`);
  });
  await Promise.race([once(socket, 'message', { signal }), closed]).finally(() => end.abort());
}

function read({ document, json }: { document?: string; json: string }): void {
  try {
    JSON.parse(json);
    if (document !== undefined) parse(document, { maxTokens: 4_000 });
  } catch {
    // The heap does not shrink any further.
  }
}

function row({ name, answer, cost, parsing, bareMs }: Refused): string {
  const figures = [cost.medianMs, cost.meanMs, cost.worstMs, parsing.medianMs].map((value) => value.toFixed(2));
  return `| ${name} | ${answer} | ${figures.join(' | ')} | ${(cost.medianMs / bareMs).toFixed(0)} |`;
}
