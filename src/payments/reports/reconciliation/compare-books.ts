/** Compares the payouts to merchants on the chain with the account MERCHANT of the ledger, log by log. */
import type { Database, Prisma } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { type Period, REPORT_PAGE, type ReportRequest } from '../report.ts';
import type { PayoutFact, Place } from './read-payout-facts.ts';

/** In base units; null if the chain, or the ledger, has no entry at the place. */
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
  const booked = Map.groupBy(await bookedAt(database, { appId, chainId: first.chainId, blockHashes }), placeKey);
  return facts.flatMap((fact) =>
    differencesOf(fact, booked.get(placeKey(fact)) ?? []).map((difference) => ({ fact, difference })),
  );
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
    const alone = lines.filter(({ isStanding }) => !isStanding);
    const nets = await netOf(database, alone);
    const differences = alone.flatMap((line) => {
      const net = nets.get(line.id);
      if (!net?.isFirst || net.amount.isZero()) return [];
      const { chainId, blockHash, logIndex, txHash, kind: type } = line;
      const at = { chainId, blockHash, logIndex, txHash, type, ...partiesOf(line) };
      return [{ ...at, onChain: null, booked: toBigInt(net.amount), bookedAt: line.createdAt }];
    });
    if (differences.length > 0) yield differences;
  }
}

/** `isStanding`: whether the chain has a fact at the place of the line. */
type MerchantLine = Booked & { id: string; createdAt: Date; isStanding: boolean };

async function* merchantLines(
  database: Database,
  { appId, period }: { appId: string; period: Period },
): AsyncGenerator<MerchantLine[]> {
  let after = { createdAt: period.from, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    // The fact is looked up by its key. With its kind among the conditions, the planner may read all payouts for each line instead.
    const page: MerchantLine[] = await database.$queryRaw<MerchantLine[]>`
      SELECT line.*, coalesce(fact.kind IN ('Settled', 'Resolved', 'Credited', 'Claimed', 'TransferredWithAuthorization')
        AND fact.status IN ('CONFIRMED', 'FINAL'), false) AS "isStanding"
      FROM (
        SELECT line.id::text, line.created_at AS "createdAt", line.chain_id AS "chainId", line.block_hash AS "blockHash",
          line.log_index AS "logIndex", line.tx_hash AS "txHash", line.terms_hash AS "termsHash",
          line.payment_intent_id::text AS "paymentIntentId", line.token_key AS "tokenKey", line.kind, line.amount
        FROM ledger_entry line JOIN payment_intent intent ON intent.id = line.payment_intent_id
        WHERE intent.app_id = ${appId}::uuid AND line.account = 'MERCHANT' AND line.created_at < ${period.to}
          AND (line.created_at, line.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
        ORDER BY line.created_at, line.id LIMIT ${REPORT_PAGE}
      ) line
      LEFT JOIN LATERAL (SELECT kind, status FROM chain_fact WHERE chain_id = line."chainId"
        AND block_hash = line."blockHash" AND log_index = line."logIndex" LIMIT 1) fact ON true
      ORDER BY line."createdAt", line.id::uuid`;
    const last = page.at(-1);
    if (last) yield page;
    if (!last || page.length < REPORT_PAGE) return;
    after = last;
  }
}

type Net = { id: string; amount: Prisma.Decimal; isFirst: boolean };

/** For each line, the sum of the account MERCHANT at its place and terms, and whether the line is the first one there. */
async function netOf(database: Database, lines: readonly MerchantLine[]): Promise<Map<string, Net>> {
  if (lines.length === 0) return new Map();
  const nets = await database.$queryRaw<Net[]>`
    SELECT line.id::text, net.amount, net."isFirst"
    FROM unnest(${lines.map(({ id }) => id)}::uuid[]) AS asked (id) JOIN ledger_entry line ON line.id = asked.id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(other.amount), 0) AS amount,
        coalesce(bool_and((other.created_at, other.id) >= (line.created_at, line.id)), true) AS "isFirst"
      FROM ledger_entry other WHERE other.chain_id = line.chain_id AND other.block_hash = line.block_hash
        AND other.log_index = line.log_index AND other.terms_hash = line.terms_hash AND other.account = 'MERCHANT'
    ) net`;
  return new Map(nets.map((net) => [net.id, net]));
}

/** The sums of the account MERCHANT in these blocks, by place and terms. Each block is looked up by the key of the ledger. */
async function bookedAt(
  database: Database,
  { appId, chainId, blockHashes }: { appId: string; chainId: number; blockHashes: readonly string[] },
): Promise<Booked[]> {
  return await database.$queryRaw<Booked[]>`
    SELECT ${chainId}::int AS "chainId", block.hash AS "blockHash", booked.*
    FROM unnest(${[...blockHashes]}::text[]) AS block (hash)
    CROSS JOIN LATERAL (
      SELECT line.log_index AS "logIndex", min(line.tx_hash) AS "txHash", line.terms_hash AS "termsHash",
        min(line.payment_intent_id::text) AS "paymentIntentId", min(line.token_key) AS "tokenKey", min(line.kind) AS kind,
        sum(line.amount) AS amount
      FROM ledger_entry line JOIN payment_intent intent ON intent.id = line.payment_intent_id
      WHERE line.chain_id = ${chainId} AND line.block_hash = block.hash AND line.account = 'MERCHANT'
        AND intent.app_id = ${appId}::uuid
      GROUP BY line.log_index, line.terms_hash
    ) booked`;
}

function partiesOf({ termsHash, paymentIntentId, tokenKey }: Booked) {
  return { termsHash, paymentIntentId, tokenKey };
}

function placeKey({ blockHash, logIndex }: { blockHash: string; logIndex: number }): string {
  return `${blockHash}-${logIndex}`;
}
