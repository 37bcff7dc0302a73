/** Compares the payouts to merchants on the chain with the account MERCHANT of the ledger, log by log. */
import type { Database, Prisma } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { type Period, REPORT_PAGE, type ReportRequest } from '../report.ts';
import type { PayoutFact, Place } from './read-payout-facts.ts';

/** In base units; null if the chain, or the books, have no entry at the place. */
export type Difference = Omit<Place, 'blockNumber' | 'blockTimestamp'> & {
  termsHash: string;
  paymentIntentId: string;
  tokenKey: string;
  type: string;
  onChain: bigint | null;
  booked: bigint | null;
};

type Booked = {
  chainId: number;
  blockHash: string;
  logIndex: number;
  txHash: string;
  termsHash: string;
  paymentIntentId: string;
  tokenKey: string;
  kind: string;
  amount: Prisma.Decimal;
};

/** The differences at the places of these facts of one chain, with the fact at which each was found. */
export async function differencesAt(
  { database }: { database: Database },
  { appId, facts }: { appId: string; facts: readonly PayoutFact[] },
): Promise<{ fact: PayoutFact; difference: Difference }[]> {
  const [first] = facts;
  if (!first) return [];
  const blockHashes = [...new Set(facts.map(({ blockHash }) => blockHash))];
  const booked = await bookedAt(database, { appId, chainId: first.chainId, blockHashes });
  return facts.flatMap((fact) => {
    const lines = booked.filter((line) => line.blockHash === fact.blockHash && line.logIndex === fact.logIndex);
    return differencesOf(fact, lines).map((difference) => ({ fact, difference }));
  });
}

function differencesOf(fact: PayoutFact, lines: readonly Booked[]): Difference[] {
  const due = new Map<string, bigint>();
  for (const { termsHash, amount } of fact.shares) due.set(termsHash, (due.get(termsHash) ?? 0n) + amount);
  const { chainId, blockHash, logIndex, txHash, type } = fact;
  const at = { chainId, blockHash, logIndex, txHash, type };
  const expected = [...due].flatMap(([termsHash, onChain]): Difference[] => {
    const share = fact.shares.find((one) => one.termsHash === termsHash);
    const line = lines.find((one) => one.termsHash === termsHash);
    const sum = line ? toBigInt(line.amount) : 0n;
    if (!share || sum === onChain) return [];
    const { paymentIntentId, tokenKey } = share;
    return [{ ...at, termsHash, paymentIntentId, tokenKey, onChain, booked: sum === 0n ? null : sum }];
  });
  const unexpected = lines
    .filter((line) => !due.has(line.termsHash) && !line.amount.isZero())
    .map((line) => ({ ...at, ...partiesOf(line), onChain: null, booked: toBigInt(line.amount) }));
  return [...expected, ...unexpected];
}

/** Yields bookings of the period at places without a fact on the chain. Each place is yielded once. */
export async function* readBookedAlone(
  { database }: { database: Database },
  { scope, period }: ReportRequest,
): AsyncGenerator<(Difference & { bookedAt: Date })[]> {
  for await (const lines of merchantLines(database, { appId: scope.appId, period })) {
    const standing = await database.$queryRaw<{ chainId: number; blockHash: string; logIndex: number }[]>`
      SELECT fact.chain_id AS "chainId", fact.block_hash AS "blockHash", fact.log_index AS "logIndex" FROM chain_fact fact
      JOIN unnest(${lines.map((line) => line.chainId)}::int[], ${lines.map((line) => line.blockHash)}::text[],
        ${lines.map((line) => line.logIndex)}::int[]) AS line (chain_id, block_hash, log_index)
        ON fact.chain_id = line.chain_id AND fact.block_hash = line.block_hash AND fact.log_index = line.log_index
      WHERE fact.kind IN ('Settled', 'Resolved', 'Credited', 'Claimed') AND fact.status IN ('CONFIRMED', 'FINAL')`;
    const known = new Set(standing.map(placeKey));
    const alone = lines.filter((line) => !known.has(placeKey(line)));
    const differences: (Difference & { bookedAt: Date })[] = [];
    for (const line of alone) {
      const [net] = await database.$queryRaw<{ amount: Prisma.Decimal; isFirst: boolean }[]>`
        SELECT coalesce(sum(amount), 0) AS amount,
          coalesce(bool_and((created_at, id) >= (${line.createdAt}::timestamptz, ${line.id}::uuid)), true) AS "isFirst"
        FROM ledger_entry WHERE chain_id = ${line.chainId} AND block_hash = ${line.blockHash}
          AND log_index = ${line.logIndex} AND terms_hash = ${line.termsHash} AND account = 'MERCHANT'`;
      if (!net?.isFirst || net.amount.isZero()) continue;
      const { chainId, blockHash, logIndex, txHash, kind: type } = line;
      const at = { chainId, blockHash, logIndex, txHash, type, ...partiesOf(line) };
      differences.push({ ...at, onChain: null, booked: toBigInt(net.amount), bookedAt: line.createdAt });
    }
    if (differences.length > 0) yield differences;
  }
}

type MerchantLine = Booked & { id: string; createdAt: Date };

async function* merchantLines(
  database: Database,
  { appId, period }: { appId: string; period: Period },
): AsyncGenerator<MerchantLine[]> {
  let after = { createdAt: period.from, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const page: MerchantLine[] = await database.$queryRaw<MerchantLine[]>`
      SELECT line.id::text, line.created_at AS "createdAt", line.chain_id AS "chainId", line.block_hash AS "blockHash",
        line.log_index AS "logIndex", line.tx_hash AS "txHash", line.terms_hash AS "termsHash",
        line.payment_intent_id::text AS "paymentIntentId", line.token_key AS "tokenKey", line.kind, line.amount
      FROM ledger_entry line JOIN payment_intent intent ON intent.id = line.payment_intent_id
      WHERE intent.app_id = ${appId}::uuid AND line.account = 'MERCHANT' AND line.created_at < ${period.to}
        AND (line.created_at, line.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
      ORDER BY line.created_at, line.id LIMIT ${REPORT_PAGE}`;
    const last = page.at(-1);
    if (last) yield page;
    if (!last || page.length < REPORT_PAGE) return;
    after = last;
  }
}

/** The sums of the account MERCHANT in these blocks, by place and terms. */
async function bookedAt(
  database: Database,
  { appId, chainId, blockHashes }: { appId: string; chainId: number; blockHashes: readonly string[] },
): Promise<Booked[]> {
  return await database.$queryRaw<Booked[]>`
    SELECT line.chain_id AS "chainId", line.block_hash AS "blockHash", line.log_index AS "logIndex",
      min(line.tx_hash) AS "txHash", line.terms_hash AS "termsHash", min(line.payment_intent_id::text) AS "paymentIntentId",
      min(line.token_key) AS "tokenKey", min(line.kind) AS kind, sum(line.amount) AS amount
    FROM ledger_entry line JOIN payment_intent intent ON intent.id = line.payment_intent_id
    WHERE intent.app_id = ${appId}::uuid AND line.account = 'MERCHANT' AND line.chain_id = ${chainId}
      AND line.block_hash = ANY(${[...blockHashes]}::text[])
    GROUP BY 1, 2, 3, 5`;
}

function partiesOf({ termsHash, paymentIntentId, tokenKey }: Booked) {
  return { termsHash, paymentIntentId, tokenKey };
}

function placeKey({ chainId, blockHash, logIndex }: { chainId: number; blockHash: string; logIndex: number }): string {
  return `${chainId}-${blockHash}-${logIndex}`;
}
