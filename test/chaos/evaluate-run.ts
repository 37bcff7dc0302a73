/** Checks all invariants after all faults have been removed. Each violation is a sentence. The run passes if there is none. */
import pg from 'pg';
import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import type { EscrowEvent } from '../../src/escrow/escrow-event.ts';
import type { LiveFeed } from './live-feed.ts';
import type { Ground } from './open-ground.ts';
import { type Holdings, holdingFaults, movementsOf, readEscrowEvents, readHoldings } from './read-chain.ts';
import { type Receivers, readEvents, receiverKinds } from './receivers.ts';
import type { Shop } from './shops.ts';
import type { Story } from './stories.ts';

export type Intent = { id: string; status: string; disputeId: string | null };

export type Evidence = {
  ground: Ground;
  shops: readonly Shop[];
  stories: readonly Story[];
  receivers: Receivers;
  feeds: ReadonlyMap<string, LiveFeed>;
  payers: readonly Address[];
  /** All balances before the first payment, by chain. */
  before: ReadonlyMap<number, Holdings>;
};

/** The contract's events by intent. */
type OnChain = Map<string, EscrowEvent[]>;

export type Verdict = { reasons: string[]; facts: string[] };

const finalStatuses = new Set(['SETTLED', 'CANCELLED', 'REFUNDED', 'FAILED']);
const PAGE_SIZE = 100;

export async function evaluateRun(evidence: Evidence): Promise<Verdict> {
  const reasons: string[] = [];
  const facts: string[] = [];
  const owners = await readOwners(evidence.ground);
  const onChain: OnChain = new Map();
  for (const chain of evidence.ground.demo.chains) {
    const { chainId } = chain;
    const events = await readEscrowEvents(chain);
    for (const event of events) {
      if (!('left' in event)) continue;
      const intentId = owners.get(`${chainId}:${event.id}`);
      if (intentId === undefined) reasons.push(`Chain ${chainId}: ${event.kind} of unknown terms ${event.id}.`);
      else onChain.set(intentId, [...(onChain.get(intentId) ?? []), event]);
    }
    reasons.push(...chargeFaults(chainId, events));
    const before = evidence.before.get(chainId);
    if (!before) continue;
    const accounts = [...new Set([...before.values()].flatMap((ofToken) => [...ofToken.keys()]))];
    const after = await readHoldings(chain, accounts);
    const moved = movementsOf(events, getAddress(chain.escrow));
    reasons.push(...holdingFaults({ chainId, before, after, moved, payers: evidence.payers }));
    facts.push(`Chain ${chainId}: ${countKinds(events)}.`);
  }
  const refundsGivenUp = new Set<string>();
  for (const shop of evidence.shops) {
    const intents = await readIntents(shop);
    const events = await readEvents(shop);
    for (const event of events) if (event.type === 'payment_intent.refund_failed') refundsGivenUp.add(event.resourceId);
    facts.push(
      `${shop.name}: ${intents.length} intents (${countBy(intents, ({ status }) => status)}), ${events.length} events.`,
    );
    reasons.push(...intents.flatMap((intent) => intentFaults(shop, intent, onChain.get(intent.id) ?? [])));
    reasons.push(...sequenceFaults(shop, events, evidence));
  }
  reasons.push(...storyFaults(evidence.stories, { onChain, refundsGivenUp }));
  const { repeated, unsigned, refused } = evidence.receivers.counts();
  facts.push(
    `Webhooks: ${refused} rejected by the failing receivers, ${repeated} repeated, ${unsigned} with an invalid signature.`,
  );
  if (unsigned > 0) reasons.push(`${unsigned} webhooks had an invalid signature.`);
  facts.push(`Transactions that were given up: ${await givenUp(evidence.ground)}.`);
  reasons.push(...(await commandFaults(evidence.ground)));
  return { reasons, facts };
}

export function isFinal({ status }: Intent): boolean {
  return finalStatuses.has(status);
}

const intentsShape = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      dispute: z.object({ id: z.string(), status: z.string() }).nullable(),
    }),
  ),
  totalPages: z.number(),
});

/** Every intent of the app; `disputeId` is that of an open dispute. */
export async function readIntents({ client }: Pick<Shop, 'client'>): Promise<Intent[]> {
  const document = `query ($page: Int!) { paymentIntentsPage(page: $page, pageSize: ${PAGE_SIZE}) {
    items { id status dispute { id status } } totalPages } }`;
  const intents: Intent[] = [];
  for (let page = 1; ; page += 1) {
    const read = await client.query(z.object({ paymentIntentsPage: intentsShape }), document, { page });
    const { items, totalPages } = read.paymentIntentsPage;
    intents.push(
      ...items.map(({ id, status, dispute }) => ({
        id,
        status,
        disputeId: dispute?.status === 'OPEN' ? dispute.id : null,
      })),
    );
    if (page >= totalPages) return intents;
  }
}

/** Checks that every operation was executed exactly once, and that the events match the intent's status. */
function intentFaults(shop: Shop, intent: Intent, events: readonly EscrowEvent[]): string[] {
  const faults: string[] = [];
  const count = (...kinds: EscrowEvent['kind'][]) => events.filter(({ kind }) => kinds.includes(kind)).length;
  const name = `${shop.name}, intent ${intent.id} (${intent.status})`;
  const last = events.at(-1);
  const remaining = last && 'left' in last ? last.left : 0n;
  if (!isFinal(intent)) {
    if (intent.disputeId === null) faults.push(`${name} is not in a final state. On chain: ${countKinds(events)}.`);
    return faults;
  }
  if (count('Authorized') > 1) faults.push(`${name} was charged ${count('Authorized')} times.`);
  if (count('Captured') > 1) faults.push(`${name} was captured ${count('Captured')} times.`);
  const ends = count('Settled', 'Voided', 'Reclaimed', 'Resolved');
  if (ends > 1) faults.push(`${name} was settled, voided or resolved ${ends} times.`);
  if (remaining !== 0n) faults.push(`${name} is final, and the contract still holds ${remaining} for it.`);
  const expected: Record<string, boolean> = {
    SETTLED: count('Settled', 'Resolved') === 1,
    CANCELLED: count('Authorized') === 0 || count('Voided', 'Reclaimed') === 1,
    REFUNDED: count('Refunded', 'Resolved') >= 1,
    FAILED: count('Authorized') === 0 || count('Voided', 'Reclaimed') === 1,
  };
  if (expected[intent.status] === false) faults.push(`${name} has these events on chain: ${countKinds(events)}.`);
  return faults;
}

/**
 * Checks that a confirmed payment was charged, that an accepted capture was executed, and that an accepted refund was paid once. If a
 * refund was given up, an event must state the reason.
 */
function storyFaults(
  stories: readonly Story[],
  { onChain, refundsGivenUp }: { onChain: OnChain; refundsGivenUp: ReadonlySet<string> },
): string[] {
  return stories.flatMap((story) => {
    if (story.intentId === undefined) return [];
    const events = onChain.get(story.intentId) ?? [];
    const count = (kind: EscrowEvent['kind']) => events.filter((event) => event.kind === kind).length;
    const faults: string[] = [];
    const name = `Intent ${story.intentId} (${story.plan.kind}, ${story.plan.method}, chain ${story.chainId})`;
    if (story.confirmed && count('Authorized') === 0) faults.push(`${name} was confirmed and never charged.`);
    if (story.captureAccepted && count('Captured') === 0)
      faults.push(`${name}: its capture was accepted but not executed.`);
    const refunds = count('Refunded');
    const isExplained = refunds === 0 && refundsGivenUp.has(story.intentId);
    if (story.refundAccepted && refunds !== 1 && !isExplained) {
      faults.push(`${name}: its refund was accepted once but paid ${refunds} times, and no event states the reason.`);
    }
    if (!story.refundAccepted && refunds > 0) faults.push(`${name} was refunded without a request.`);
    return faults;
  });
}

function chargeFaults(chainId: number, events: readonly EscrowEvent[]): string[] {
  const periods = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== 'Charged') continue;
    const key = `consent ${event.consentId}, period ${event.period}`;
    periods.set(key, (periods.get(key) ?? 0) + 1);
  }
  return [...periods]
    .filter(([, times]) => times > 1)
    .map(([key, times]) => `Chain ${chainId}: ${key} was charged ${times} times.`);
}

function sequenceFaults(shop: Shop, events: readonly { sequence: number }[], evidence: Evidence): string[] {
  const faults: string[] = [];
  const wrong = events.findIndex(({ sequence }, index) => sequence !== index + 1);
  if (wrong >= 0)
    faults.push(`${shop.name}: event ${events[wrong]?.sequence} was found where ${wrong + 1} was expected.`);
  const last = events.at(-1)?.sequence ?? 0;
  const feed = evidence.feeds.get(shop.appId);
  faults.push(...(feed?.gaps() ?? []));
  if (feed && feed.last() !== last)
    faults.push(`${shop.name}: the live feed ended at event ${feed.last()} of ${last}.`);
  for (const kind of receiverKinds) {
    const missing = missingOf(shop, events, { receivers: evidence.receivers, kind });
    if (missing.length > 0) {
      faults.push(
        `${shop.name}: the ${kind} receiver did not receive ${missing.length} events, the first of which is ${missing[0]}.`,
      );
    }
  }
  return faults;
}

/** The sequence numbers of events that this receiver should have received but has not. */
export function missingOf(
  shop: Pick<Shop, 'appId'>,
  events: readonly { sequence: number }[],
  { receivers, kind }: { receivers: Receivers; kind: (typeof receiverKinds)[number] },
): number[] {
  const taken = receivers.taken(shop.appId, kind);
  return events
    .map(({ sequence }) => sequence)
    .filter((sequence) => sequence > receivers.since(shop.appId) && !taken.has(sequence));
}

const verifyShape = z.object({
  verdict: z.string(),
  chains: z.array(
    z.object({
      chainId: z.number(),
      tokens: z.array(z.object({ tokenKey: z.string(), booked: z.string(), balance: z.string() })),
    }),
  ),
});

const statusShape = z.looseObject({ fault: z.string().optional() });
const givenUpShape = z.array(z.looseObject({ purpose: z.string(), error: z.string().nullish() }));

/** Checks with the operator's own commands. The escrow holds no other funds, so its balance must equal the books. */
async function commandFaults({ operate }: Ground): Promise<string[]> {
  const faults: string[] = [];
  const verified = await operate(['verify', '--all', '--json']);
  const parsed = verifyShape.safeParse(jsonIn(verified.printed));
  if (verified.code !== 0 || !parsed.success)
    faults.push(`verify --all exited with code ${verified.code}: ${verified.printed} ${verified.complained}`);
  for (const { chainId, tokens } of parsed.data?.chains ?? []) {
    for (const { tokenKey, booked, balance } of tokens) {
      if (booked !== balance)
        faults.push(`Chain ${chainId}: the books hold ${booked} ${tokenKey}, the escrow ${balance}.`);
    }
  }
  const status = await operate(['ops', 'status', '--json']);
  const reported = statusShape.safeParse(jsonIn(status.printed));
  if (!reported.success)
    faults.push(`ops status exited with code ${status.code}: ${status.printed} ${status.complained}`);
  // Transactions that were given up are allowed here, because their consequences are checked separately.
  const complaints = (reported.data?.fault ?? '').split('\n').filter((line) => line !== '' && !/given up/.test(line));
  faults.push(...complaints.map((line) => `ops status: ${line}`));
  return faults;
}

/** Transactions that were given up, by purpose. Only reported, because losing a race with a settlement is not a fault. */
async function givenUp(ground: Ground): Promise<string> {
  const pending = await ground.operate(['ops', 'pending', '--status', 'failed', '--json']);
  const rows = givenUpShape.safeParse(jsonIn(pending.printed)).data ?? [];
  return countBy(rows, ({ purpose, error }) => `${purpose.split(':')[0]}: ${(error ?? '').split('(')[0]}`) || 'none';
}

/** The intent to which each payment belongs, by chain and payment id. */
async function readOwners({ adminUrl }: Ground): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ chain_id: number; terms_hash: string; payment_intent_id: string }>(
      'SELECT chain_id, terms_hash, payment_intent_id FROM payment_terms',
    );
    return new Map(rows.map((row) => [`${row.chain_id}:${row.terms_hash}`, row.payment_intent_id]));
  } finally {
    await client.end();
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function countKinds(events: readonly EscrowEvent[]): string {
  return countBy(events, ({ kind }) => kind) || 'none';
}

export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): string {
  const groups = Object.entries(Object.groupBy(items, keyOf)).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return groups.map(([key, ofKey]) => `${ofKey?.length ?? 0} ${key}`).join(', ');
}
