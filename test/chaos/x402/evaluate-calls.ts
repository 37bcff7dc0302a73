/** Checks that every header was charged at most once and bought one response, and that the books agree with the token. */
import type { Address } from 'viem';
import { z } from 'zod';
import type { Ground } from '../open-ground.ts';
import { readEvents } from '../receivers.ts';
import { openShopClient } from '../shop-client.ts';
import type { PaidHeader } from './paid-header.ts';
import { type Booked, readBooks } from './read-books.ts';
import { keyOf, type OnToken, readBalances, readToken, type TokenWorld } from './read-token.ts';

export type CallEvidence = {
  ground: Ground;
  token: TokenWorld;
  headers: readonly PaidHeader[];
  payers: readonly Address[];
  before: ReadonlyMap<string, bigint>;
};

export type CallVerdict = { reasons: string[]; facts: string[] };

/** The number of faults of one kind that are reported in full. */
const REPORTED_LIMIT = 5;
const PATIENCE_MS = 60_000;

export async function evaluateCalls(evidence: CallEvidence): Promise<CallVerdict> {
  const { ground, headers } = evidence;
  const reasons: string[] = [];
  const add = (faults: readonly string[]) => {
    reasons.push(...faults.slice(0, REPORTED_LIMIT));
    if (faults.length > REPORTED_LIMIT) reasons.push(`… and ${faults.length - REPORTED_LIMIT} more like the last one.`);
  };
  const onToken = await readToken(evidence.token);
  const books = await readBooks(ground.adminUrl);
  const byKey = new Map(headers.map((header) => [keyOf(header), header]));
  for (const faults of headerFaults(headers, onToken)) add(faults);
  add(
    [...onToken.used.keys()].filter((key) => !byKey.has(key)).map((key) => `No client signed what was used: ${key}.`),
  );
  for (const faults of bookFaults(books, onToken)) add(faults);
  add([...onToken.used.keys()].filter((key) => !books.has(key)).map((key) => `The books do not know ${key}.`));
  add(await balanceFaults(evidence, { onToken, books }));
  const { faults, count } = await eventFaults(ground, { books, onToken });
  add(faults);
  add(await commandFaults(ground));
  add(await reconciliationFaults(ground, onToken));
  const charged = onToken.used.size;
  const facts = [
    `${headers.length} headers were signed and ${sum(headers, ({ presented }) => presented)} times presented; ${charged} were charged, ${sum(headers, ({ served }) => served)} responses served.`,
    `${books.size} payment intents, ${count} events without a gap, ${onToken.transfers} transfers to the merchant.`,
    `Answers to a header that had paid, or could not: ${countedText(headers.flatMap(({ refusals }) => refusals)) || 'none'}.`,
    `Answers that asked to repeat the call: ${countedText(headers.flatMap(({ repeated }) => [...repeated].flatMap(([reason, times]) => Array<string>(times).fill(reason)))) || 'none'}.`,
  ];
  return { reasons, facts };
}

/** For each rule, the headers that violate it. */
function headerFaults(headers: readonly PaidHeader[], { used }: OnToken): string[][] {
  const usesOf = (header: PaidHeader) => used.get(keyOf(header)) ?? [];
  const lineOf = (header: PaidHeader, fault: string) => {
    const answers = `${header.presented} answers, ${header.served} served, refused with ${header.refusals.join(', ') || 'nothing'}`;
    return `${fault}: ${header.route}, payer ${header.payer}, nonce ${header.nonce} (${answers}; receipts ${header.receipts.join(', ') || 'none'}; on chain ${usesOf(header).join(', ') || 'never'}).`;
  };
  const where = (fault: string, isBroken: (header: PaidHeader) => boolean) =>
    headers.filter(isBroken).map((header) => lineOf(header, fault));
  return [
    where('A header was charged twice', (header) => usesOf(header).length > 1),
    where('A header bought two responses', ({ served }) => served > 1),
    where(
      'A response was served, and the token has no payment',
      (header) => header.served > 0 && usesOf(header).length === 0,
    ),
    where(
      'A header was charged, and no response was served',
      (header) => header.served === 0 && usesOf(header).length > 0,
    ),
  ];
}

function bookFaults(books: ReadonlyMap<string, Booked>, { used }: OnToken): string[][] {
  const rows = [...books];
  const lineOf = ([key, one]: [string, Booked], fault: string) =>
    `${fault}: ${key}, authorization ${one.status}, intent ${one.intentId} ${one.intentStatus}, booked ${one.fromPayer} from the payer and ${one.toMerchant} to the merchant of ${one.amount}; transaction ${one.txHash}, on chain ${used.get(key)?.join(', ') ?? 'never'}.`;
  const where = (fault: string, isBroken: (one: Booked, uses: readonly string[]) => boolean) =>
    rows.filter(([key, one]) => isBroken(one, used.get(key) ?? [])).map((row) => lineOf(row, fault));
  return [
    where('A payment is on the chain and not settled', (one, uses) => uses.length > 0 && one.status !== 'SETTLED'),
    where('A payment is settled and not on the chain', (one, uses) => uses.length === 0 && one.status === 'SETTLED'),
    where('A payment has no outcome', ({ status }) => status !== 'SETTLED' && status !== 'FAILED'),
    where('An intent is not what its payment is', ({ status, intentStatus }) => status !== intentStatus),
    where('A payment names another transaction', (one, uses) => uses.length > 0 && !uses.includes(one.txHash ?? '0x')),
    where('The ledger is wrong', (one, uses) => {
      const paid = uses.length > 0 ? one.amount : 0n;
      return one.fromPayer !== paid || one.toMerchant !== paid;
    }),
  ];
}

/** Compares what each payer paid and the merchant received according to the token's balances, its logs and the books. */
async function balanceFaults(
  { token, payers, before, headers }: CallEvidence,
  { onToken, books }: { onToken: OnToken; books: ReadonlyMap<string, Booked> },
): Promise<string[]> {
  const after = await readBalances(token, [...payers, token.merchant]);
  const gained = (owner: string) => (after.get(owner) ?? 0n) - (before.get(owner) ?? 0n);
  const signed = new Map<string, bigint>();
  for (const header of headers) {
    const payer = header.payer.toLowerCase();
    if (onToken.used.has(keyOf(header))) signed.set(payer, (signed.get(payer) ?? 0n) + header.amount);
  }
  const faults = payers.flatMap((address) => {
    const payer = address.toLowerCase();
    const [lost, logged, agreed] = [-gained(payer), onToken.received.get(payer) ?? 0n, signed.get(payer) ?? 0n];
    return lost === logged && lost === agreed
      ? []
      : [`${address} has lost ${lost}, has sent ${logged} to the merchant, and has signed for ${agreed}.`];
  });
  const merchantGained = gained(token.merchant.toLowerCase());
  const booked = sumUnits([...books.values()].map(({ toMerchant }) => toMerchant));
  if (merchantGained !== booked) faults.push(`The merchant has gained ${merchantGained}, and the books say ${booked}.`);
  return faults;
}

/** Checks that events are numbered without gaps, and that the last event of each payment matches its outcome. */
async function eventFaults(
  { demo }: Ground,
  { books, onToken }: { books: ReadonlyMap<string, Booked>; onToken: OnToken },
): Promise<{ faults: string[]; count: number }> {
  const client = openShopClient(
    { origin: demo.restUrl, key: demo.secretKey, answers: new Map() },
    { patienceMs: PATIENCE_MS },
  );
  const events = await readEvents({ client });
  const wrong = events.findIndex(({ sequence }, index) => sequence !== index + 1);
  const faults = wrong < 0 ? [] : [`Event ${events[wrong]?.sequence} was found where ${wrong + 1} was expected.`];
  const last = new Map<string, string>();
  for (const { type, resourceId } of events) {
    if (/^payment_intent\.(created|settled|failed|reverted)$/.test(type)) last.set(resourceId, type);
  }
  for (const [key, { intentId }] of books) {
    const wanted = `payment_intent.${onToken.used.has(key) ? 'settled' : 'failed'}`;
    if (last.get(intentId) !== wanted)
      faults.push(`The last event of intent ${intentId} is ${last.get(intentId)}, not ${wanted}.`);
  }
  return { faults, count: events.length };
}

/** Checks with the operator's own commands. */
async function commandFaults({ operate }: Ground): Promise<string[]> {
  const faults: string[] = [];
  for (const args of [
    ['verify', '--all', '--json'],
    ['ops', 'check-books', '--json'],
    ['ops', 'status', '--json'],
  ]) {
    const { code, printed, complained } = await operate(args);
    if (code === 0 && !/"fault":\s*"/.test(printed)) continue;
    faults.push(`${args.join(' ')} exited with code ${code}: ${printed.slice(-1_500)} ${complained.slice(-1_500)}`);
  }
  return faults;
}

const reportShape = z.object({ data: z.array(z.looseObject({ row: z.string() })) });
const DAY_MS = 86_400_000;

/** Checks that the merchant's reconciliation report has as many transfers as the chain, and no differences. */
async function reconciliationFaults({ demo }: Ground, onToken: OnToken): Promise<string[]> {
  const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  const url = `${demo.restUrl}/reports/reconciliation?from=${from}&to=${to}`;
  const response = await fetch(url, { headers: { 'x-api-key': demo.secretKey } });
  const text = await response.text();
  const parsed = reportShape.safeParse(parseJson(text));
  if (!parsed.success) return [`The reconciliation was answered with ${response.status}: ${text.slice(0, 500)}`];
  const rows = parsed.data.data;
  const differences = rows.filter(({ row }) => row === 'DIFFERENCE');
  const transfers = rows.filter(({ row }) => row === 'TRANSFER').length;
  return [
    ...differences.map((row) => `The reconciliation has a difference: ${JSON.stringify(row)}.`),
    ...(transfers === onToken.transfers
      ? []
      : [`The reconciliation has ${transfers} transfers, and the token ${onToken.transfers}.`]),
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sum<Item>(items: readonly Item[], countOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + countOf(item), 0);
}

function sumUnits(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function countedText(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, times]) => `${times} ${word}`).join(', ');
}
