/** Reads the facts by which the escrow paid, or could not pay, the payout addresses of an app, in the order of the chain. */
import { type Database, Prisma } from '../../../../prisma/client.ts';
import type { Registry } from '../../../chains/registry.ts';
import { parseEscrowEvent } from '../../../escrow/escrow-event.ts';
import { parseSolanaEvent } from '../../../escrow/solana/solana-event.ts';
import { TRANSFERRED, transferArgs } from '../../ledger.ts';
import { toClaim, toCredit } from '../../payouts/credit-facts.ts';
import { plainAddress } from '../../payouts/plain-address.ts';
import { REPORT_PAGE } from '../report.ts';

type World = { database: Database; registry: Pick<Registry, 'chain'> };

/** The part of one day, on one chain, that a report covers. In Unix seconds, and `to` is excluded. */
export type ChainDay = { chainId: number; from: bigint; to: bigint };

type Row = {
  chainId: number;
  blockNumber: bigint;
  blockHash: string;
  blockTimestamp: bigint;
  txHash: string;
  logIndex: number;
  address: string;
  kind: string;
  ref: string | null;
  args: Prisma.JsonValue;
  paymentIntentId: string | null;
  tokenKey: string | null;
  merchant: string | null;
};

export type Place = Pick<Row, 'chainId' | 'blockNumber' | 'blockHash' | 'blockTimestamp' | 'txHash' | 'logIndex'>;

/** Amount that one log moved for one set of terms, in base units. Negative if the escrow credited an amount that it could not pay. */
export type Share = { termsHash: string; paymentIntentId: string; tokenKey: string; amount: bigint };

export type PayoutFact = Place & {
  type: 'SETTLE' | 'RESOLVE' | 'CREDIT' | 'CLAIM' | 'TRANSFER';
  /** The address that was paid; null for a credit, and for a settlement whose share of the merchant was credited instead. */
  paid: string | null;
  /** The amount that the account MERCHANT must have at this place. */
  shares: Share[];
  /** The amount in the log. For a claim, it includes credits of other payments to the same recipient. */
  logged: bigint;
};

const DAY_SECONDS = 86_400n;

/** The literals of the index `chain_fact_payout_idx`, so that the planner recognizes it. */
const payoutKinds = Prisma.sql`fact.kind IN ('Settled', 'Resolved', 'Credited', 'Claimed', 'TransferredWithAuthorization') AND fact.status IN ('CONFIRMED', 'FINAL')`;

/** The days of the period that have such facts of any app, in order, with their chains. */
export async function readChainDays(
  { database }: { database: Database },
  { from, to }: { from: bigint; to: bigint },
): Promise<ChainDay[]> {
  const rows = await database.$queryRaw<{ chainId: number; day: bigint }[]>`
    SELECT fact.chain_id AS "chainId", fact.block_timestamp / ${DAY_SECONDS} AS day FROM chain_fact fact
    WHERE ${payoutKinds} AND fact.block_timestamp >= ${from} AND fact.block_timestamp < ${to}
    GROUP BY 1, 2 ORDER BY 2, 1`;
  return rows.map(({ chainId, day }) => {
    const [start, end] = [day * DAY_SECONDS, (day + 1n) * DAY_SECONDS];
    return { chainId, from: start < from ? from : start, to: end > to ? to : end };
  });
}

/** Yields pages of the facts of one day and chain. */
export async function* readPayoutFacts(
  world: World,
  { appId, day }: { appId: string; day: ChainDay },
): AsyncGenerator<PayoutFact[]> {
  let after = { blockTimestamp: day.from, blockNumber: -1n, logIndex: -1 };
  for (;;) {
    const page: Row[] = await world.database.$queryRaw<Row[]>`
      SELECT fact.chain_id AS "chainId", fact.block_number AS "blockNumber", fact.block_hash AS "blockHash",
        fact.block_timestamp AS "blockTimestamp", fact.tx_hash AS "txHash", fact.log_index AS "logIndex", fact.address,
        fact.kind, fact.ref, fact.args, intent.id::text AS "paymentIntentId",
        coalesce(terms.token_key, exact.token_key) AS "tokenKey",
        coalesce(terms.terms->>'merchant', exact.pay_to) AS merchant
      FROM chain_fact fact
      LEFT JOIN payment_terms terms ON terms.chain_id = fact.chain_id AND terms.terms_hash = fact.ref
      LEFT JOIN exact_authorization exact ON exact.chain_id = fact.chain_id AND exact.payment_key = fact.ref
        AND fact.kind = 'TransferredWithAuthorization'
      LEFT JOIN payment_intent intent ON intent.id = coalesce(terms.payment_intent_id, exact.payment_intent_id) AND intent.app_id = ${appId}::uuid
      WHERE ${payoutKinds} AND fact.chain_id = ${day.chainId} AND fact.block_timestamp < ${day.to}
        AND (fact.block_timestamp, fact.block_number, fact.log_index)
          > (${after.blockTimestamp}, ${after.blockNumber}, ${after.logIndex})
        AND (fact.kind = 'Claimed' OR intent.id IS NOT NULL)
      ORDER BY fact.block_timestamp, fact.block_number, fact.log_index LIMIT ${REPORT_PAGE}`;
    const facts = await toPayoutFacts(world, { appId, rows: page });
    if (facts.length > 0) yield facts;
    const last = page.at(-1);
    if (!last || page.length < REPORT_PAGE) return;
    after = last;
  }
}

async function toPayoutFacts(
  world: World,
  { appId, rows }: { appId: string; rows: readonly Row[] },
): Promise<PayoutFact[]> {
  const [credited, delivered] = await Promise.all([
    creditedPushes(world, rows),
    deliveredShares(world, { appId, claims: rows.filter(({ kind }) => kind === 'Claimed') }),
  ]);
  return rows.flatMap((row) => {
    const fact = row.kind === 'Claimed' ? claimFact(row, delivered.get(logOf(row)) ?? []) : stepFact(row, credited);
    return fact ?? [];
  });
}

/** Returns null for a step that owes the merchant nothing, and for a credit to another recipient. */
function stepFact(row: Row, credited: ReadonlySet<string>): PayoutFact | null {
  if (row.ref === null || row.paymentIntentId === null || row.tokenKey === null) return null;
  const of = { termsHash: row.ref, paymentIntentId: row.paymentIntentId, tokenKey: row.tokenKey };
  if (row.kind === TRANSFERRED) {
    const amount = BigInt(transferArgs.parse(row.args).amount);
    const paid = row.merchant === null ? null : plainAddress(row.merchant);
    return { ...placeOf(row), type: 'TRANSFER', paid, shares: [{ ...of, amount }], logged: amount };
  }
  if (row.kind === 'Credited') {
    const credit = toCredit(row);
    if (credit?.role !== 'MERCHANT') return null;
    return {
      ...placeOf(row),
      type: 'CREDIT',
      paid: null,
      shares: [{ ...of, amount: -credit.amount }],
      logged: credit.amount,
    };
  }
  const event = parseEscrowEvent(row.kind, row.args) ?? parseSolanaEvent(row.kind, row.args);
  if (!event || !('merchantAmount' in event) || event.merchantAmount === 0n) return null;
  const amount = event.merchantAmount;
  const isPaid = row.merchant !== null && !credited.has(pushOf(row));
  return {
    ...placeOf(row),
    type: row.kind === 'Settled' ? 'SETTLE' : 'RESOLVE',
    paid: isPaid ? plainAddress(row.merchant ?? '') : null,
    shares: [{ ...of, amount }],
    logged: amount,
  };
}

/** The steps whose merchant share was credited in the same transaction. */
async function creditedPushes({ database }: World, rows: readonly Row[]): Promise<Set<string>> {
  const steps = rows.filter(({ kind }) => kind === 'Settled' || kind === 'Resolved');
  const [first] = steps;
  if (!first) return new Set();
  const credits = await database.chainFact.findMany({
    where: {
      chainId: first.chainId,
      ref: { in: steps.flatMap(({ ref }) => ref ?? []) },
      kind: 'Credited',
      status: { in: ['CONFIRMED', 'FINAL'] },
    },
  });
  return new Set(credits.filter((credit) => toCredit(credit)?.role === 'MERCHANT').map(pushOf));
}

function pushOf({ ref, blockHash, txHash }: Pick<Row, 'ref' | 'blockHash' | 'txHash'>): string {
  return `${ref}-${blockHash}-${txHash}`;
}

/** Null for a claim that delivered nothing to the app's merchant. */
function claimFact(row: Row, shares: Share[]): PayoutFact | null {
  const claim = toClaim(row);
  if (!claim || shares.length === 0) return null;
  return { ...placeOf(row), type: 'CLAIM', paid: claim.to, shares, logged: claim.amount };
}

/**
 * The credits of the app's merchant that each of these claims of one chain delivered: those of the same recipient and token since the claim
 * before it.
 */
async function deliveredShares(
  { database, registry }: World,
  { appId, claims }: { appId: string; claims: readonly Row[] },
): Promise<Map<string, Share[]>> {
  const [first] = claims;
  if (!first) return new Map();
  // Solana has no contract: amounts for a recipient are kept in accounts of this installation.
  const isSolana = registry.chain(first.chainId)?.family === 'SOLANA';
  const owners = claims.map((row) => toClaim(row) ?? { recipient: '', token: '' });
  const credits = await database.$queryRaw<(Row & { claimHash: string; claimIndex: number })[]>`
    SELECT fact.chain_id AS "chainId", fact.block_number AS "blockNumber", fact.block_hash AS "blockHash",
      fact.block_timestamp AS "blockTimestamp", fact.tx_hash AS "txHash", fact.log_index AS "logIndex", fact.address,
      fact.kind, fact.ref, fact.args, intent.id::text AS "paymentIntentId", terms.token_key AS "tokenKey",
      terms.terms->>'merchant' AS merchant, claim.block_hash AS "claimHash", claim.log_index AS "claimIndex"
    FROM unnest(${owners.map(({ recipient }) => recipient)}::text[], ${owners.map(({ token }) => token)}::text[],
      ${claims.map(({ address }) => address)}::text[], ${claims.map(({ blockHash }) => blockHash)}::text[],
      ${claims.map(({ blockNumber }) => blockNumber)}::bigint[], ${claims.map(({ logIndex }) => logIndex)}::int[])
      AS claim (recipient, token, address, block_hash, block_number, log_index)
    LEFT JOIN LATERAL (
      SELECT other.block_number, other.log_index FROM chain_fact other
      WHERE other.chain_id = ${first.chainId} AND other.kind = 'Claimed' AND other.status IN ('CONFIRMED', 'FINAL')
        AND other.args->>'recipient' = claim.recipient AND other.args->>'token' = claim.token
        AND (${isSolana} OR other.address = claim.address)
        AND (other.block_number, other.log_index) < (claim.block_number, claim.log_index)
      ORDER BY other.block_number DESC, other.log_index DESC LIMIT 1
    ) before ON true
    -- The range between the two claims, which the index has in its order. OFFSET keeps the planner from joining first.
    CROSS JOIN LATERAL (
      SELECT credit.* FROM chain_fact credit
      WHERE credit.chain_id = ${first.chainId} AND credit.kind = 'Credited' AND credit.status IN ('CONFIRMED', 'FINAL')
        AND credit.args->>'recipient' = claim.recipient AND credit.args->>'token' = claim.token
        AND (${isSolana} OR credit.address = claim.address)
        AND (credit.block_number, credit.log_index) > (coalesce(before.block_number, -1), coalesce(before.log_index, -1))
        AND (credit.block_number, credit.log_index) < (claim.block_number, claim.log_index)
      OFFSET 0
    ) fact
    JOIN payment_terms terms ON terms.chain_id = fact.chain_id AND terms.terms_hash = fact.ref
    JOIN payment_intent intent ON intent.id = terms.payment_intent_id
    WHERE intent.app_id = ${appId}::uuid
    ORDER BY fact.block_number, fact.log_index`;
  const shares = new Map<string, Share[]>();
  for (const row of credits) {
    const credit = toCredit(row);
    if (credit?.role !== 'MERCHANT' || row.paymentIntentId === null || row.tokenKey === null) continue;
    const key = logOf({ blockHash: row.claimHash, logIndex: row.claimIndex });
    const share = { termsHash: credit.termsHash, paymentIntentId: row.paymentIntentId, tokenKey: row.tokenKey };
    shares.set(key, [...(shares.get(key) ?? []), { ...share, amount: credit.amount }]);
  }
  return shares;
}

function logOf({ blockHash, logIndex }: Pick<Row, 'blockHash' | 'logIndex'>): string {
  return `${blockHash}-${logIndex}`;
}

function placeOf({ chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex }: Place): Place {
  return { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex };
}
