import type { ChainFact, Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { claimsAfter, creditsOf, emitterOf } from '../payouts/credit-facts.ts';
import { type FoldedPayout, foldPayouts } from '../payouts/payout.ts';
import type { Books } from './book-faults.ts';

/** Reads the books of one payment intent, and the facts that they are compared with. Null for an unknown intent. */
export async function readBooks(
  { database, registry }: { database: Database; registry: Pick<Registry, 'chain'> },
  { paymentIntentId }: { paymentIntentId: string },
): Promise<Books | null> {
  const intent = await database.paymentIntent.findUnique({ where: { id: paymentIntentId } });
  if (!intent) return null;
  const terms = await database.paymentTerms.findMany({ where: { paymentIntentId } });
  const ofTerms = terms.map(({ chainId, termsHash }) => ({ chainId, termsHash }));
  const where = { OR: [{ paymentIntentId }, ...ofTerms] };
  const [entries, payouts] = await Promise.all([
    database.ledgerEntry.findMany({ where }),
    database.creditedPayout.findMany({ where }),
  ]);
  const facts: ChainFact[] = [];
  const folded: FoldedPayout[] = [];
  for (const { chainId, termsHash } of ofTerms) {
    facts.push(...(await database.chainFact.findMany({ where: { chainId, ref: termsHash } })));
    const emitter = emitterOf(registry, chainId);
    if (!emitter) continue;
    const credits = await creditsOf(database, { ...emitter, termsHashes: [termsHash] });
    folded.push(...foldPayouts(credits, await claimsAfter(database, { ...emitter, credits })));
  }
  return { intent, terms, facts, entries, payouts, folded };
}
