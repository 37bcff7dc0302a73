/** Measures the CPU time of rejections, and whether memory is released after many different documents. */
import fc from 'fast-check';
import { parse } from 'graphql';
import { type Cost, costOf, type MeasuredApi, openSender, ownCostOf, type Sent } from '../../setup/api/measured-api.ts';
import type { RequestAttack } from './attack.ts';
import { times } from './flood.ts';
import { hostileDocument } from './hostile-documents.ts';
import { credentialHeaders, type Target } from './send-attack.ts';

/** `bodyBytes`: the size of a body that is read completely or whose faults are all named. 0 for a document, which has its own limits. */
export type Timing = { cost: Cost; parsing: Cost; bodyBytes: number };
export type TimedRefusal = Timing & { kind: string; status: number };

/** The limits in addition to parsing. Garbage collection and late compilation, which only the mean includes in full, may double the cost. */
export const REFUSAL_LIMITS: Cost = { medianMs: 5, meanMs: 10, worstMs: 20 };
/** The additional limit for each byte of such a body. */
const BODY_MS_PER_BYTE = 0.000_8;
const ATTEMPTS = 4;
export const HELD_LIMIT_BYTES = 64 * 1024 * 1024;
const NOTHING: Cost = { medianMs: 0, meanMs: 0, worstMs: 0 };
const TOKENS_MOST = 4_000;
const WARM_UPS = 100;
const DOCUMENT_BYTES = 14_000;

/** Returns a variant of the document that has not been sent before, so that no cache contains it. */
export function renewed(document: string, run: number): string {
  return `#${run}\n${document}`;
}

/** Repeats a rejected request. Documents are different each time. */
export function timeRefusal(api: MeasuredApi, target: Target, attack: RequestAttack): Promise<TimedRefusal> {
  return bestTime(() => timeOnce(api, target, attack));
}

/**
 * Other work on the machine affects the times, so a measurement that exceeds its limits is repeated a few times. The minimum of each figure
 * counts.
 */
export async function bestTime<Timed extends Timing>(time: () => Promise<Timed>): Promise<Timed> {
  let best = await time();
  for (let attempt = 1; attempt < ATTEMPTS && !isWithin(best); attempt++) {
    const { cost } = await time();
    best = { ...best, cost: leastOf(best.cost, cost) };
  }
  return best;
}

function leastOf(one: Cost, other: Cost): Cost {
  return {
    medianMs: Math.min(one.medianMs, other.medianMs),
    meanMs: Math.min(one.meanMs, other.meanMs),
    worstMs: Math.min(one.worstMs, other.worstMs),
  };
}

async function timeOnce(api: MeasuredApi, target: Target, attack: RequestAttack): Promise<TimedRefusal> {
  const sender = openSender(api.url);
  let status = 0;
  try {
    const cost = await costOf(api, async (run) => {
      const answer = await sender.send(requestOf(target, attack, run));
      status = answer.status;
      if (status >= 500) throw new Error(`${attack.kind} answers ${status}: ${answer.body.slice(0, 300)}`);
    });
    // A request that is too large is rejected before it is read.
    const parsing = status === 413 ? NOTHING : ownCostOf(() => readAsServer(attack));
    // Only the first faults of a document are named, but all faults of other bodies. A document may be too large in a body that is not.
    const isLimitedByBytes = attack.document === undefined || status === 413;
    const bodyBytes = isLimitedByBytes ? (attack.body ?? attack.document ?? '').length : 0;
    return { kind: attack.kind, cost, parsing, status, bodyBytes };
  } finally {
    sender.close();
  }
}

export function isWithin({ cost, parsing, bodyBytes }: Timing): boolean {
  const allowedMs = parsing.medianMs + bodyBytes * BODY_MS_PER_BYTE;
  return (['medianMs', 'meanMs', 'worstMs'] as const).every((name) => cost[name] - allowedMs <= REFUSAL_LIMITS[name]);
}

/** The growth of the heap in bytes after `count` distinct documents: valid, hostile and large ones. */
export async function heldAfterDocuments(
  api: MeasuredApi,
  { count, seed }: { count: number; seed: number },
): Promise<number> {
  const sender = openSender(api.url);
  const hostile = fc.sample(hostileDocument, { numRuns: 200, seed }).map(({ text }) => text);
  const ask = async (index: number) => {
    const document = renewed(documentOf(index, hostile), index);
    const { status } = await sender.send(posted(document, {}));
    if (status >= 500) throw new Error(`It answers ${status} to ${document.slice(0, 300)}`);
  };
  try {
    // Memory for one-time initialization must not count.
    for (let index = 1; index <= WARM_UPS; index++) await ask(-index);
    const before = await api.heldBytes();
    for (let index = 0; index < count; index++) await ask(index);
    return (await api.heldBytes()) - before;
  } finally {
    sender.close();
  }
}

function documentOf(index: number, hostile: readonly string[]): string {
  const sound = `{ ${times(300, (at) => `a${Math.abs(index)}x${at}: __typename`)} }`;
  const large = `{ viewer { kind } } #${'c'.repeat(DOCUMENT_BYTES)}`;
  return [sound, large, hostile[Math.abs(index) % hostile.length] ?? '', sound][Math.abs(index) % 4] ?? '';
}

function requestOf(target: Target, attack: RequestAttack, run: number): Sent {
  const credentials = Object.fromEntries(credentialHeaders(target, attack.credential));
  if (attack.document !== undefined) return posted(renewed(attack.document, run), credentials);
  return {
    method: attack.method,
    path: attack.path,
    headers: { ...credentials, ...Object.fromEntries(attack.headers) },
    body: attack.body,
  };
}

function posted(query: string, headers: Record<string, string>): Sent {
  const typed = { 'content-type': 'application/json', ...headers };
  return { method: 'POST', path: '/graphql', headers: typed, body: JSON.stringify({ query }) };
}

/** Does the minimum work of any server: parses the JSON and the document up to the first error. */
function readAsServer({ document, body }: RequestAttack): void {
  const text = document === undefined ? Buffer.from(body ?? '').toString() : JSON.stringify({ query: document });
  try {
    const read: unknown = JSON.parse(text);
    if (document !== undefined) parse(document, { maxTokens: TOKENS_MOST });
    void read;
  } catch {
    // Parsing ends at the first error.
  }
}
