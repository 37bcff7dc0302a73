import type { Database } from '../../../../prisma/client.ts';
import { paymentEventKinds } from '../../fold.ts';
import { claimsAfter, creditsOf } from '../../payouts/credit-facts.ts';
import { foldPayouts } from '../../payouts/payout.ts';
import type { Liability } from './liability.ts';

/** The liabilities in one token, by app. */
export type TokenLiabilities = { tokenKey: string; tokenAddress: string; accounts: Map<string, Liability[]> };

export type ChainLiabilities = { tokens: TokenLiabilities[]; operators: string[] };

type Request = { chainId: number; escrow: string; upTo: bigint };
type Payment = {
  termsHash: string;
  appId: string;
  tokenKey: string;
  tokenAddress: string;
  operator: string;
  left: string | null;
  isCaptured: boolean;
  isDisputed: boolean;
};

/** Number of payments that are read together. */
const PAGE = 2_000;

/**
 * Reads the amounts that the escrow held for every payment of a chain after block `upTo`, only from the facts of blocks up to it, in
 * pages by the payments' ids. Only open payments are kept in memory.
 */
export async function readLiabilities(database: Database, request: Request): Promise<ChainLiabilities> {
  const tokens = new Map<string, TokenLiabilities>();
  const operators = new Set<string>();
  for await (const refs of refPages(database, request)) {
    const payments = await paymentsOf(database, { ...request, refs });
    const undelivered = await undeliveredOf(database, { ...request, refs });
    for (const payment of payments) {
      operators.add(payment.operator);
      const open = openOf(payment);
      const liabilities = [...(open ? [open] : []), ...(undelivered.get(payment.termsHash) ?? [])];
      if (liabilities.length === 0) continue;
      const { tokenKey, tokenAddress, appId } = payment;
      const token = tokens.get(tokenKey) ?? { tokenKey, tokenAddress, accounts: new Map<string, Liability[]>() };
      const known = token.accounts.get(appId);
      if (known) known.push(...liabilities);
      else token.accounts.set(appId, liabilities);
      tokens.set(tokenKey, token);
    }
  }
  return { tokens: [...tokens.values()], operators: [...operators].toSorted() };
}

/** Returns null for a payment without a remaining amount. */
function openOf({ termsHash, left, isCaptured, isDisputed }: Payment): Liability | null {
  const amount = BigInt(left ?? '0');
  if (amount === 0n) return null;
  return { kind: isDisputed ? 'DISPUTED' : isCaptured ? 'CAPTURED' : 'HELD', termsHash, amount };
}

async function* refPages(database: Database, { chainId }: Request): AsyncGenerator<string[]> {
  let after = '';
  for (;;) {
    const page: { ref: string }[] = await database.$queryRaw<{ ref: string }[]>`
      SELECT DISTINCT fact.ref FROM chain_fact fact WHERE fact.chain_id = ${chainId} AND fact.ref > ${after}
      ORDER BY fact.ref LIMIT ${PAGE}`;
    if (page.length > 0) yield page.map(({ ref }) => ref);
    after = page.at(-1)?.ref ?? after;
    if (page.length < PAGE) return;
  }
}

/** The state of this gateway's payments among these ids after their last event up to the block. */
async function paymentsOf(
  database: Database,
  { chainId, escrow, upTo, refs }: Request & { refs: readonly string[] },
): Promise<Payment[]> {
  return await database.$queryRaw<Payment[]>`
    SELECT terms.terms_hash AS "termsHash", intent.app_id::text AS "appId", terms.token_key AS "tokenKey",
      lower(terms.terms->>'token') AS "tokenAddress", lower(terms.terms->>'operator') AS operator,
      (array_agg(fact.args->>'left' ORDER BY fact.block_number DESC, fact.log_index DESC))[1] AS left,
      bool_or(fact.kind = 'Captured') AS "isCaptured", bool_or(fact.kind = 'Disputed') AS "isDisputed"
    FROM payment_terms terms
    JOIN payment_intent intent ON intent.id = terms.payment_intent_id
    JOIN chain_fact fact ON fact.chain_id = terms.chain_id AND fact.ref = terms.terms_hash
    WHERE terms.chain_id = ${chainId} AND terms.terms_hash = ANY(${[...refs]}::text[]) AND fact.address = ${escrow}
      AND fact.kind = ANY(${[...paymentEventKinds]}::text[]) AND fact.status IN ('CONFIRMED', 'FINAL')
      AND fact.block_number <= ${upTo}
    GROUP BY terms.chain_id, terms.terms_hash, intent.app_id ORDER BY 1`;
}

/** Reads credits up to the block that had not been claimed by then, by payment. */
async function undeliveredOf(
  database: Database,
  { chainId, escrow, upTo, refs }: Request & { refs: readonly string[] },
): Promise<Map<string, Liability[]>> {
  const emitter = { chainId, escrow };
  const all = await creditsOf(database, { ...emitter, termsHashes: refs });
  const credits = all.filter(({ blockNumber }) => blockNumber <= upTo);
  const claims = (await claimsAfter(database, { ...emitter, credits })).filter(
    ({ blockNumber }) => blockNumber <= upTo,
  );
  const open = foldPayouts(credits, claims).filter(({ claim }) => claim === null);
  return Map.groupBy(
    open.map(
      ({ credit: { termsHash, amount, recipient } }): Liability => ({
        kind: 'UNDELIVERED',
        termsHash,
        amount,
        recipient,
      }),
    ),
    ({ termsHash }) => termsHash,
  );
}
