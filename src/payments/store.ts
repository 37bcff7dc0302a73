/**
 * Reads of payments from tables without a tenant, for callers that have already checked the payment's ownership, and the
 * statements of `createPaymentIntent`.
 */
import { type ChainFact, type Database, type PaymentIntent, Prisma } from '../../prisma/client.ts';
import { insertion, type WrittenTable } from '../../prisma/written-row.ts';
import { appendWithin, type NewEvent } from '../events/append-events.ts';
import type { IntentSettings } from './new-payment-intent.ts';

export const paymentIntentTable: WrittenTable<PaymentIntent> = {
  name: 'payment_intent',
  fields: Prisma.PaymentIntentScalarFieldEnum,
  json: ['allowedChains', 'allowedTokens', 'metadata'],
};

/** What creating an intent depends on. */
export type IntentGround = IntentSettings & { hasCustomer: boolean };

/** The settings of the caller's app, and whether the customer belongs to it. Returns no row for another merchant's app. */
export function intentGround(request: {
  scope: { merchantId: string; appId: string };
  customerAccountId: string | null;
}): Prisma.Sql {
  const { scope, customerAccountId } = request;
  return Prisma.sql`
    SELECT app.id, timelock_duration AS "timelockDuration", dispute_start_duration AS "disputeStartDuration",
      platform_fee_bps AS "platformFeeBps", intent_expiry AS "intentExpiry", capture_mode AS "captureMode",
      EXISTS (SELECT FROM customer_account AS customer
        WHERE customer.id = ${customerAccountId}::uuid AND customer.app_id = app.id) AS "hasCustomer"
    FROM app WHERE app.id = ${scope.appId}::uuid AND app.merchant_id = ${scope.merchantId}::uuid`;
}

/** Writes a new intent, `recorded`, and last the event, whose sequence number is locked until the commit. Returns the intent. */
export function intentInsertion(request: {
  intent: PaymentIntent;
  created: NewEvent;
  recorded: Prisma.Sql;
}): Prisma.Sql {
  const { intent, created, recorded } = request;
  const { queries } = appendWithin(intent.appId, [created], ['intent', 'recorded']);
  return Prisma.sql`
    WITH intent AS (${insertion(paymentIntentTable, intent)}), recorded AS (${recorded}), ${queries}
    SELECT intent.* FROM intent, numbered`;
}

/** A transaction of the payment whose terms have this hash. */
export type TransactionPlace = { chainId: number; termsHash: string; txHash: string };

export function placeKey(place: TransactionPlace): string {
  return `${place.chainId}:${place.termsHash}:${place.txHash}`;
}

/** The inverse of `placeKey`. */
export function readPlaceKey(key: string): TransactionPlace {
  const [chainId = '', termsHash = '', txHash = ''] = key.split(':');
  return { chainId: Number(chainId), termsHash, txHash };
}

/** The valid escrow logs of these transactions, by `placeKey`, in log order. */
export async function readTransactionFacts(
  database: Database,
  places: readonly TransactionPlace[],
): Promise<Map<string, ChainFact[]>> {
  const byChain = new Map<number, Set<string>>();
  for (const { chainId, termsHash } of places) {
    byChain.set(chainId, (byChain.get(chainId) ?? new Set()).add(termsHash));
  }
  const facts = await database.chainFact.findMany({
    where: {
      status: { not: 'ORPHANED' },
      kind: { not: 'AuthorizationUsed' },
      OR: [...byChain].map(([chainId, hashes]) => ({ chainId, ref: { in: [...hashes] } })),
    },
    orderBy: [{ chainId: 'asc' }, { blockNumber: 'asc' }, { logIndex: 'asc' }],
  });
  const found = new Map<string, ChainFact[]>();
  for (const fact of facts) {
    const key = placeKey({ chainId: fact.chainId, termsHash: fact.ref ?? '', txHash: fact.txHash });
    found.set(key, [...(found.get(key) ?? []), fact]);
  }
  return found;
}

/** The newest known block of each chain, by chain id as text. */
export async function readHeads(database: Database): Promise<Map<string, bigint>> {
  const cursors = await database.chainCursor.findMany({ select: { chainId: true, headNumber: true } });
  return new Map(cursors.map((cursor) => [String(cursor.chainId), cursor.headNumber]));
}
