import { fileURLToPath } from 'node:url';
import { type MeasuredApi, openSender, type Sent } from '../../test/setup/api/measured-api.ts';
import type { Bench } from '../bench.ts';
import { seedIntents } from '../seeds/seed-intents.ts';
import { openOwnApi } from '../servers/open-own-api.ts';

const REQUESTS = 300;
const WARM_UPS = 600;
/** Enough for a median that is stable to one percent. */
const MOST_ROUNDS = 30;
const MIB = 1024 * 1024;
const program = fileURLToPath(new URL('../servers/api-without-gateway.ts', import.meta.url));
const fields = 'id amount currency status captureMode externalId createdAt expiresAt';

/**
 * CPU time of an API process for each request, compared with the same API without GraphQL Mesh. Both run at the same time and receive
 * requests in turns, so that other work on the machine affects both. Then the startup time and the heap of each.
 */
export async function measureGateway({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl } = installation;
  const id = await seedIntents(databaseUrl, { appId: demo.appId, count: sizes.rows });
  const rounds = Math.min(sizes.rounds, MOST_ROUNDS);
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const body = JSON.stringify({
    query: `query One($id: ID!) { paymentIntent(id: $id) { ${fields} } }`,
    variables: { id },
  });
  const calls: [string, Sent][] = [
    ['REST, one intent', { method: 'GET', path: `/payments/intents/${id}`, headers }],
    ['REST, a page of 20', { method: 'GET', path: '/payments/intents?pageSize=20', headers }],
    ['GraphQL, one intent', { method: 'POST', path: '/graphql', headers, body }],
  ];
  const [through, without] = [await openOwnApi(installation, {}), await openOwnApi(installation, {}, { program })];
  try {
    const rows: string[] = [];
    for (const [name, call] of calls) {
      const { throughMs, withoutMs, ratio } = await compare({ through, without }, call, rounds);
      rows.push(`| ${name} | ${withoutMs.toFixed(2)} | ${throughMs.toFixed(2)} | ${ratio.toFixed(3)} |`);
      print(rows.at(-1) ?? '');
    }
    const held = `The heap holds ${((await through.heldBytes()) / MIB).toFixed(1)} MiB, without Mesh ${((await without.heldBytes()) / MIB).toFixed(1)}.`;
    const start = await compareStarts(
      () => openOwnApi(installation, {}),
      () => openOwnApi(installation, {}, { program }),
    );
    print(`${held} ${start}`);
    return `| request | CPU ms without Mesh | through the gateway | ratio, median of ${rounds} rounds |\n|---|---:|---:|---:|\n${rows.join('\n')}\n\n${held} ${start}`;
  } finally {
    await Promise.all([through.stop(), without.stop()]);
  }
}

type Pair = { through: MeasuredApi; without: MeasuredApi };

async function compare(pair: Pair, call: Sent, rounds: number) {
  const senders = { through: openSender(pair.through.url), without: openSender(pair.without.url) };
  const costOf = async (which: keyof Pair, requests: number) => {
    const before = await pair[which].used();
    for (let sent = 0; sent < requests; sent++) {
      const { status, body } = await senders[which].send(call);
      if (status !== 200) throw new Error(`${call.path}: ${status} ${body}`);
    }
    return ((await pair[which].used()).cpuMs - before.cpuMs) / requests;
  };
  try {
    for (const which of ['through', 'without'] as const) await costOf(which, WARM_UPS);
    const spans: { throughMs: number; withoutMs: number; ratio: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? (['through', 'without'] as const) : (['without', 'through'] as const);
      const ms = { through: 0, without: 0 };
      for (const which of order) ms[which] = await costOf(which, REQUESTS);
      spans.push({ throughMs: ms.through, withoutMs: ms.without, ratio: ms.through / ms.without });
    }
    return {
      throughMs: median(spans.map(({ throughMs }) => throughMs)),
      withoutMs: median(spans.map(({ withoutMs }) => withoutMs)),
      ratio: median(spans.map(({ ratio }) => ratio)),
    };
  } finally {
    senders.through.close();
    senders.without.close();
  }
}

const STARTS = 5;

async function compareStarts(openThrough: () => Promise<MeasuredApi>, openWithout: () => Promise<MeasuredApi>) {
  const cpuOf = async (open: () => Promise<MeasuredApi>) => {
    const api = await open();
    const { cpuMs } = await api.used();
    await api.stop();
    return cpuMs;
  };
  const spans = { through: [] as number[], without: [] as number[] };
  for (let start = 0; start < STARTS; start++) {
    spans.through.push(await cpuOf(openThrough));
    spans.without.push(await cpuOf(openWithout));
  }
  return `Starting takes ${(median(spans.through) / 1000).toFixed(2)} s of CPU, without Mesh ${(median(spans.without) / 1000).toFixed(2)} (medians of ${STARTS} starts).`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
