/**
 * The state of an installation at a glance, from the gateway's own tables: chains, inbox, queue, sending, webhooks and overdue payments.
 * Durations are in seconds. Counts cover open work only, so that reading them is cheap.
 */
import { type Database, type PayoutRole, Prisma } from '../../../prisma/client.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { SOLANA_SENDER } from '../../payments/actions/payout-order.ts';
import { coveringAcknowledgement } from '../../payments/payouts/acknowledgement.ts';
import { isFailed, isSuperseded } from '../../platform/jobs.ts';
import { PAYER_LACKS } from '../payments/payer-lack.ts';
import { type ConsumerSigns, readConsumers } from './read-consumers.ts';
import { type DepositSigns, type DepositsHeld, readDeposits, readDepositsHeld } from './read-deposits.ts';

export type ChainSigns = {
  chainId: number;
  name: string;
  local: boolean;
  confirmations: number;
  /** Null until the chain is observed for the first time. */
  observed: {
    head: bigint;
    /** Every fact of the blocks up to this one is in the inbox. */
    read: bigint;
    applied: bigint;
    finalized: bigint;
    lagBlocks: bigint;
    /** Chain time from the newest applied block to the head. */
    lagSeconds: number;
    /** Time since the head was mined. */
    headAgeSeconds: number;
    /** Time since the indexer last made progress on the chain, during a turn or at its end. */
    observedAgeSeconds: number;
    paused: boolean;
    haltReason: string | null;
  } | null;
};

export type VitalSigns = {
  chains: ChainSigns[];
  inbox: { chainId: number; state: 'seen' | 'waiting' | 'applied' | 'to_take_back'; facts: number }[];
  queue: { ready: number; scheduled: number; running: number; failed: number; oldestSeconds: number };
  consumers: ConsumerSigns[];
  outgoing: { chainId: number; status: string; count: number; oldestSeconds: number }[];
  webhooks: { due: number; oldestSeconds: number; disabled: number };
  overdue: { status: string; intents: number }[];
  /**
   * `credited`: the escrow could not pay the recipient. `acknowledged`: the same, and an operator has acknowledged it. `waiting`:
   * settlements whose merchant cannot be paid at present, and Solana payouts that are waiting.
   */
  undelivered: {
    chainId: number;
    state: 'credited' | 'acknowledged' | 'waiting';
    role: PayoutRole;
    payouts: number;
    oldestSeconds: number;
  }[];
  deposits: DepositSigns[];
  depositsHeld: DepositsHeld[];
};

/** An intent that should have changed state by itself this long ago is overdue. */
const OVERDUE_SECONDS = 600;
const DAY_MS = 86_400_000;

export async function readVitalSigns(
  world: { database: Database; registry: Registry },
  { now }: { now: Date },
): Promise<VitalSigns> {
  const { database } = world;
  const [chains, inbox, queue, consumers, outgoing, webhooks, overdue, undelivered, deposits, depositsHeld] =
    await Promise.all([
      readChainSigns(world, { now }),
      readInbox(database),
      readQueue(database),
      readConsumers(database),
      readOutgoing(database, now),
      readWebhooks(database, now),
      readOverdue(database, now),
      readUndelivered(database, now),
      readDeposits(database, now),
      readDepositsHeld(database),
    ]);
  return { chains, inbox, queue, consumers, outgoing, webhooks, overdue, undelivered, deposits, depositsHeld };
}

/** Covers every enabled chain that is indexed. */
export async function readChainSigns(
  { database, registry }: { database: Database; registry: Registry },
  { now }: { now: Date },
): Promise<ChainSigns[]> {
  const cursors = new Map((await database.chainCursor.findMany()).map((cursor) => [cursor.chainId, cursor]));
  const nowMs = now.getTime();
  return registry
    .enabled()
    .filter(isIndexed)
    .map((chain): ChainSigns => {
      const { chainId, name, local, confirmations } = chain;
      const cursor = cursors.get(chainId);
      if (!cursor || cursor.headHash === null) return { chainId, name, local, confirmations, observed: null };
      const lag = cursor.headNumber - cursor.appliedNumber;
      return {
        chainId,
        name,
        local,
        confirmations,
        observed: {
          head: cursor.headNumber,
          read: cursor.readNumber,
          applied: cursor.appliedNumber,
          finalized: cursor.finalizedNumber,
          lagBlocks: lag > 0n ? lag : 0n,
          lagSeconds: Math.max(0, Number(cursor.headTimestamp - cursor.appliedTimestamp)),
          headAgeSeconds: Math.max(0, Math.round(nowMs / 1000) - Number(cursor.headTimestamp)),
          observedAgeSeconds: Math.max(0, (nowMs - (cursor.observedAt ?? cursor.updatedAt).getTime()) / 1000),
          paused: cursor.pausedAt !== null,
          haltReason: cursor.haltedAt === null ? null : (cursor.haltReason ?? 'No reason was recorded.'),
        },
      };
    });
}

function isIndexed(chain: Chain): boolean {
  return chain.family === 'SOLANA' || (chain.family === 'EVM' && chain.escrow !== null);
}

async function readInbox(database: Database): Promise<VitalSigns['inbox']> {
  return await database.$queryRaw<VitalSigns['inbox']>`
    SELECT chain_id AS "chainId", count(*)::int AS facts,
      CASE WHEN status = 'SEEN' THEN 'seen' WHEN status = 'ORPHANED' THEN 'to_take_back'
        WHEN applied_at IS NULL THEN 'waiting' ELSE 'applied' END AS state
    FROM chain_fact
    WHERE status IN ('SEEN', 'CONFIRMED') OR (status = 'ORPHANED' AND applied_at IS NOT NULL)
    GROUP BY 1, 3 ORDER BY 1, 3`;
}

/** A failed job is out of attempts, even while it is being retried. */
export async function readQueue(database: Database): Promise<VitalSigns['queue']> {
  const [row] = await database.$queryRaw<VitalSigns['queue'][]>`
    SELECT count(*) FILTER (WHERE state = 'ready')::int AS ready,
      count(*) FILTER (WHERE state = 'scheduled')::int AS scheduled,
      count(*) FILTER (WHERE state = 'running')::int AS running,
      count(*) FILTER (WHERE state = 'failed')::int AS failed,
      coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE state = 'ready')), 0)::float8 AS "oldestSeconds"
    FROM (
      SELECT run_at, CASE WHEN ${isFailed} THEN 'failed' WHEN locked_at IS NOT NULL THEN 'running'
        WHEN ${isSuperseded} THEN 'superseded' WHEN run_at <= now() THEN 'ready' ELSE 'scheduled' END AS state
      FROM graphile_worker.jobs) AS job`;
  return row ?? { ready: 0, scheduled: 0, running: 0, failed: 0, oldestSeconds: 0 };
}

/**
 * Of the failed transactions, counts only those that need an operator: they have not been superseded, and did not fail because the
 * allowance or balance of the payer's wallet was too low, which is reported to the payer and listed by `payments stuck`. Claims are retried
 * on a schedule and reported as undelivered payouts.
 */
async function readOutgoing(database: Database, now: Date): Promise<VitalSigns['outgoing']> {
  return await database.$queryRaw<VitalSigns['outgoing']>`
    SELECT chain_id AS "chainId", status::text AS status, count(*)::int AS count,
      extract(epoch FROM ${now}::timestamptz - min(created_at))::float8 AS "oldestSeconds"
    FROM outgoing_transaction outgoing
    WHERE status IN ('QUEUED', 'SIGNED', 'SENT', 'MINED') OR (status = 'FAILED' AND purpose NOT LIKE 'claim:%'
      AND NOT ${isMadeGood(now)} AND NOT ${lacksMoneyOfPayer})
    GROUP BY 1, 2 ORDER BY 1, 2`;
}

const lacksMoneyOfPayer = Prisma.sql`(coalesce(outgoing.error ~* ${PAYER_LACKS}, false) AND EXISTS (
  SELECT FROM transaction refused WHERE refused.id = outgoing.transaction_id AND refused.type = 'AUTHORIZE'))`;

/**
 * A failed transaction that no longer matters. For an authorization: its intent is no longer CREATED, or its terms can no longer be
 * authorized. For any other step: the escrow contract holds nothing for its terms, because the payment has ended or a reorganization
 * removed it, or a later step of the same payment is confirmed. A transaction without a payment counts as failed for a day.
 */
export function isMadeGood(now: Date): Prisma.Sql {
  const dayAgo = new Date(now.getTime() - DAY_MS);
  return Prisma.sql`(
    (outgoing.transaction_id IS NULL AND outgoing.created_at < ${dayAgo})
    OR EXISTS (
      SELECT 1 FROM transaction failed JOIN payment_intent intent ON intent.id = failed.payment_intent_id
      WHERE failed.id = outgoing.transaction_id AND (
        CASE WHEN failed.type = 'AUTHORIZE'
          THEN intent.status <> 'CREATED' OR EXISTS (SELECT 1 FROM payment_terms terms
            WHERE terms.chain_id = failed.chain_id AND terms.terms_hash = failed.terms_hash AND terms.authorize_by < ${now})
          ELSE (SELECT coalesce(sum(entry.amount), 0) FROM ledger_entry entry
            WHERE entry.chain_id = failed.chain_id AND entry.terms_hash = failed.terms_hash AND entry.account = 'ESCROW') = 0 END
        OR EXISTS (SELECT 1 FROM transaction later
            WHERE later.chain_id = failed.chain_id AND later.terms_hash = failed.terms_hash AND later.status = 'CONFIRMED' AND later.id > failed.id))))`;
}

/** An endpoint whose receiver does not hold up its deliveries. */
const isServed = Prisma.sql`endpoint.active AND endpoint.paused_until IS NULL
  AND NOT (endpoint.ordered AND endpoint.failing_since IS NOT NULL)`;

/**
 * Counts deliveries that a worker should have sent, without those held up by a failing receiver. The oldest may also be an event that no
 * delivery has been queued for yet, if the app has an endpoint that is not held up.
 */
async function readWebhooks(database: Database, now: Date): Promise<VitalSigns['webhooks']> {
  // The statement starts with SELECT so that it is recognized as read-only.
  const [row] = await database.$queryRaw<VitalSigns['webhooks'][]>`
    SELECT count(*)::int AS due,
      greatest(0, extract(epoch FROM ${now}::timestamptz - min(delivery.next_retry_at)), (
        SELECT extract(epoch FROM gateway_now() - min(event.created_at))
        FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
        JOIN event ON event.app_id = consumer.app_id AND event.sequence = consumer.position + 1
        WHERE consumer.consumer = 'webhooks' AND consumer.position < cursor.last_sequence
          AND EXISTS (SELECT FROM webhook_endpoint endpoint WHERE endpoint.app_id = consumer.app_id AND ${isServed})
      ))::float8 AS "oldestSeconds",
      (SELECT count(*)::int FROM webhook_endpoint WHERE disabled_reason IS NOT NULL AND NOT active) AS disabled
    FROM webhook_delivery delivery JOIN webhook_endpoint endpoint ON endpoint.id = delivery.webhook_id
    WHERE delivery.status = 'PENDING' AND delivery.next_retry_at <= ${now} AND ${isServed}`;
  return row ?? { due: 0, oldestSeconds: 0, disabled: 0 };
}

async function readOverdue(database: Database, now: Date): Promise<VitalSigns['overdue']> {
  const before = new Date(now.getTime() - OVERDUE_SECONDS * 1000);
  const [created, captured] = await Promise.all([
    database.paymentIntent.count({ where: { status: 'CREATED', expiresAt: { lt: before } } }),
    database.paymentIntent.count({
      where: {
        status: 'CAPTURED',
        timelockEndsAt: { lt: before },
        dispute: { isNot: { status: 'OPEN' } },
        OR: [{ settlementCheckAt: null }, { settlementCheckAt: { lt: before } }],
      },
    }),
  ]);
  return [
    { status: 'CREATED', intents: created },
    { status: 'CAPTURED', intents: captured },
  ];
}

async function readUndelivered(database: Database, now: Date): Promise<VitalSigns['undelivered']> {
  return await database.$queryRaw<VitalSigns['undelivered']>`
    SELECT chain_id AS "chainId", state, role, count(*)::int AS payouts,
      greatest(0, extract(epoch FROM ${now}::timestamptz - min(since)))::float8 AS "oldestSeconds"
    FROM (
      SELECT payout.chain_id, CASE WHEN acknowledgement.id IS NULL THEN 'credited' ELSE 'acknowledged' END AS state,
        payout.role::text AS role, payout.created_at AS since
      FROM credited_payout payout ${coveringAcknowledgement} WHERE payout.delivered_at IS NULL
      UNION ALL
      SELECT authorization_chain_id, 'waiting', 'MERCHANT', timelock_ends_at FROM payment_intent
      WHERE status = 'CAPTURED' AND timelock_ends_at < ${now} AND settlement_check_at IS NOT NULL
      UNION ALL
      SELECT outgoing.chain_id, 'waiting', CASE WHEN step.type IN ('REFUND', 'VOID') THEN 'PAYER' ELSE 'MERCHANT' END,
        outgoing.waits_since
      FROM outgoing_transaction outgoing JOIN transaction step ON step.id = outgoing.transaction_id
      WHERE outgoing.status = 'QUEUED' AND outgoing.sender = ${SOLANA_SENDER} AND outgoing.waits_since IS NOT NULL
    ) AS open
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
}
