import type {
  ChainFact,
  CreditedPayout,
  Database,
  ExactAuthorization,
  LedgerEntry,
  PaymentTerms,
} from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { claimsAfter, creditsOf, emitterOf } from '../payouts/credit-facts.ts';
import { type FoldedPayout, foldPayouts } from '../payouts/payout.ts';
import type { Books } from './book-faults.ts';

type World = { database: Database; registry: Pick<Registry, 'chain'> };

/** Reads the records of one payment intent, and the facts with which they are compared. Null for an unknown intent. */
export async function readBooks(world: World, { paymentIntentId }: { paymentIntentId: string }): Promise<Books | null> {
  const [books] = await readManyBooks(world, { paymentIntentIds: [paymentIntentId] });
  return books ?? null;
}

/**
 * Reads the records of several payment intents in a fixed number of statements. Entries and payouts that name
 * the terms of one intent and belong to another are in the records of both. Unknown intents are left out.
 */
export async function readManyBooks(
  world: World,
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<Books[]> {
  const { database } = world;
  const ids = [...paymentIntentIds];
  const [intents, signed, exact] = await Promise.all([
    database.paymentIntent.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } }),
    database.paymentTerms.findMany({ where: { paymentIntentId: { in: ids } } }),
    database.exactAuthorization.findMany({ where: { paymentIntentId: { in: ids } } }),
  ]);
  const terms = [...signed, ...exact.flatMap(asTerms)];
  const named = [...Map.groupBy(terms, ({ chainId }) => chainId)].map(([chainId, ofChain]) => ({
    chainId,
    termsHash: { in: ofChain.map(({ termsHash }) => termsHash) },
  }));
  const where = { OR: [{ paymentIntentId: { in: ids } }, ...named] };
  const [entries, payouts, facts] = await Promise.all([
    database.ledgerEntry.findMany({ where }),
    database.creditedPayout.findMany({ where }),
    database.chainFact.findMany({
      where: { OR: named.map(({ chainId, termsHash }) => ({ chainId, ref: termsHash })) },
    }),
  ]);
  const folded = await foldedPayouts(world, signed);
  const read = { terms, entries, payouts, facts, folded };
  return intents.map((intent) => booksOf(intent, read));
}

/** What identifies a payment in its records. */
type Terms = Pick<PaymentTerms, 'paymentIntentId' | 'chainId' | 'termsHash' | 'tokenKey'>;

/** A direct transfer has no terms; its key takes their place. */
function asTerms({ paymentIntentId, chainId, paymentKey: termsHash, tokenKey }: ExactAuthorization): Terms[] {
  return paymentIntentId === null ? [] : [{ paymentIntentId, chainId, termsHash, tokenKey }];
}

type Read = {
  terms: Terms[];
  entries: LedgerEntry[];
  payouts: CreditedPayout[];
  facts: ChainFact[];
  folded: FoldedPayout[];
};

function booksOf(intent: Books['intent'], { terms, entries, payouts, facts, folded }: Read): Books {
  const own = terms.filter(({ paymentIntentId }) => paymentIntentId === intent.id);
  const keys = new Set(own.map(keyOf));
  const isOwn = (row: { paymentIntentId: string; chainId: number; termsHash: string }) =>
    row.paymentIntentId === intent.id || keys.has(keyOf(row));
  return {
    intent,
    terms: own,
    facts: facts.filter(({ chainId, ref }) => ref !== null && keys.has(keyOf({ chainId, termsHash: ref }))),
    entries: entries.filter(isOwn),
    payouts: payouts.filter(isOwn),
    folded: folded.filter(({ credit }) => keys.has(keyOf(credit))),
  };
}

/** Computes the result of the current credits of these terms and of the claims after them. */
async function foldedPayouts({ database, registry }: World, terms: readonly PaymentTerms[]): Promise<FoldedPayout[]> {
  const folded: FoldedPayout[] = [];
  for (const [chainId, ofChain] of Map.groupBy(terms, (one) => one.chainId)) {
    const emitter = emitterOf(registry, chainId);
    if (!emitter) continue;
    const credits = await creditsOf(database, { ...emitter, termsHashes: ofChain.map(({ termsHash }) => termsHash) });
    folded.push(...foldPayouts(credits, await claimsAfter(database, { ...emitter, credits })));
  }
  return folded;
}

function keyOf({ chainId, termsHash }: { chainId: number; termsHash: string }): string {
  return `${chainId}-${termsHash}`;
}
