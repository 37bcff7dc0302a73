/** The read-only queries behind `payments stuck`: open work that waits, from the tables that record the reason. */
import { type Database, type PayoutRole, Prisma, type TransactionType } from '../../../prisma/client.ts';
import { coveringAcknowledgement } from '../../payments/payouts/acknowledgement.ts';
import { isMadeGood } from '../health/vital-signs.ts';
import type { OpenSending } from './stuck-payment.ts';

/** Row limit of each query. */
const ROWS = 500;

export type Scope = { chainId: number | null; appId: string | null; now: Date };

type Money = { amount: string | null; tokenKey: string | null };

export type SendingRow = Money &
  OpenSending & {
    id: string;
    chainId: number;
    sender: string;
    purpose: string;
    type: TransactionType | null;
    paymentIntentId: string | null;
    appId: string | null;
    since: Date;
  };

/**
 * Transactions of the installation's keys that wait for a person, were refused, are older than `before`, or have failed and still matter.
 * Failed claims are left out: they are retried, and their payouts are reported instead.
 */
export async function readSendings(
  database: Database,
  { chainId, appId, now, before }: Scope & { before: Date },
): Promise<SendingRow[]> {
  return await database.$queryRaw<SendingRow[]>`
    SELECT outgoing.id::text, outgoing.chain_id AS "chainId", outgoing.sender, outgoing.purpose,
      outgoing.status::text AS status, outgoing.waits_for::text AS "waitsFor", outgoing.failures, outgoing.error,
      CASE WHEN outgoing.status <> 'FAILED' AND outgoing.waits_for IS NOT NULL THEN outgoing.waits_since
        ELSE outgoing.created_at END AS since,
      step.type::text AS type, step.payment_intent_id::text AS "paymentIntentId", intent.app_id::text AS "appId",
      coalesce(step.amount::text, terms.terms ->> 'amount') AS amount,
      coalesce(terms.token_key, intent.authorization_token_key) AS "tokenKey"
    FROM outgoing_transaction outgoing
    LEFT JOIN transaction step ON step.id = outgoing.transaction_id
    LEFT JOIN payment_intent intent ON intent.id = step.payment_intent_id
    LEFT JOIN payment_terms terms ON terms.chain_id = step.chain_id AND terms.terms_hash = step.terms_hash
    WHERE outgoing.status IN ('QUEUED', 'SIGNED', 'SENT', 'FAILED')
      AND (outgoing.status <> 'FAILED' OR (outgoing.purpose NOT LIKE 'claim:%' AND NOT ${isMadeGood(now)}))
      AND (outgoing.status = 'FAILED' OR outgoing.created_at < ${before}
        OR outgoing.waits_for IS NOT NULL OR (outgoing.status = 'QUEUED' AND outgoing.failures > 0))
      ${onChain('outgoing.chain_id', chainId)} ${ofApp(appId)}
    ORDER BY outgoing.id LIMIT ${ROWS}`;
}

export type PayoutRow = {
  paymentIntentId: string;
  appId: string;
  chainId: number;
  recipient: string;
  role: PayoutRole;
  amount: string;
  tokenKey: string;
  keptAt: string | null;
  since: Date;
  note: string | null;
};

/** Undelivered payouts. Those that an operator has acknowledged come last. */
export async function readUndeliveredPayouts(database: Database, { chainId, appId }: Scope): Promise<PayoutRow[]> {
  return await database.$queryRaw<PayoutRow[]>`
    SELECT payout.payment_intent_id::text AS "paymentIntentId", intent.app_id::text AS "appId",
      payout.chain_id AS "chainId", payout.recipient, payout.role::text AS role, payout.amount::text AS amount,
      payout.token_key AS "tokenKey", payout.kept_at AS "keptAt", payout.credited_at AS since, acknowledgement.note
    FROM credited_payout payout JOIN payment_intent intent ON intent.id = payout.payment_intent_id
      ${coveringAcknowledgement}
    WHERE payout.delivered_at IS NULL ${onChain('payout.chain_id', chainId)} ${ofApp(appId)}
    ORDER BY acknowledgement.id IS NOT NULL, payout.credited_at, payout.id LIMIT ${ROWS}`;
}

export type DecisionRow = Money & {
  cause: 'SETTLEMENT' | 'DISPUTE' | 'CAPTURE';
  paymentIntentId: string;
  appId: string;
  chainId: number;
  since: Date;
  /** Deadline of the decision. For a settlement, the time of the next check. */
  until: Date;
};

/**
 * Payments in escrow that wait for their merchant to be payable, for a dispute to be decided, or for a manual capture before `dueBefore`,
 * while no such step is in progress.
 */
export async function readDecisions(
  database: Database,
  { chainId, appId, now, dueBefore }: Scope & { dueBefore: Date },
): Promise<DecisionRow[]> {
  const intent = Prisma.sql`intent.id::text AS "paymentIntentId", intent.app_id::text AS "appId",
    intent.authorization_chain_id AS "chainId", intent.left_amount::text AS amount, intent.authorization_token_key AS "tokenKey"`;
  const scope = Prisma.sql`${onChain('intent.authorization_chain_id', chainId)} ${ofApp(appId)}`;
  return await database.$queryRaw<DecisionRow[]>`
    (SELECT 'SETTLEMENT' AS cause, ${intent}, intent.timelock_ends_at AS since, intent.settlement_check_at AS until
      FROM payment_intent intent
      WHERE intent.status = 'CAPTURED' AND intent.timelock_ends_at < ${now} AND intent.settlement_check_at IS NOT NULL ${scope}
      ORDER BY intent.timelock_ends_at LIMIT ${ROWS})
    UNION ALL
    (SELECT 'DISPUTE', ${intent}, dispute.created_at, dispute.deadline
      FROM dispute JOIN payment_intent intent ON intent.id = dispute.payment_intent_id
      WHERE dispute.status = 'OPEN' AND ${withoutStep('RESOLVE')} ${scope}
      ORDER BY dispute.deadline LIMIT ${ROWS})
    UNION ALL
    (SELECT 'CAPTURE', ${intent}, intent.authorized_at, to_timestamp(held.capture_by)
      FROM payment_intent intent
      -- One look-up for each hold: joined flatly, the planner reads all terms that were ever signed.
      JOIN LATERAL (SELECT (terms.terms ->> 'captureBy')::float8 AS capture_by FROM payment_terms terms
        WHERE terms.chain_id = intent.authorization_chain_id AND terms.terms_hash = intent.accepted_terms_hash
        LIMIT 1) held ON true
      WHERE intent.status = 'AUTHORIZED' AND intent.capture_mode = 'MANUAL'
        AND held.capture_by BETWEEN ${now.getTime() / 1000} AND ${dueBefore.getTime() / 1000}
        AND ${withoutStep('CAPTURE')} AND ${withoutStep('VOID')} ${scope}
      ORDER BY intent.authorized_at LIMIT ${ROWS})`;
}

export type DepositRow = Money & {
  paymentIntentId: string;
  appId: string;
  chainId: number;
  address: string;
  refundAddress: string;
  since: Date;
  reason: string;
};

/** Deposit addresses whose return fails: one row for each token that is held there. */
export async function readDeposits(database: Database, { chainId, appId }: Scope): Promise<DepositRow[]> {
  return await database.$queryRaw<DepositRow[]>`
    SELECT deposit.payment_intent_id::text AS "paymentIntentId", intent.app_id::text AS "appId",
      deposit.chain_id AS "chainId", deposit.address, deposit.refund_address AS "refundAddress",
      deposit.stuck_since AS since, coalesce(deposit.stuck_reason, 'no reason was recorded.') AS reason,
      balance.held::text AS amount, coalesce(balance.token_key, deposit.token_key) AS "tokenKey"
    FROM deposit_address deposit JOIN payment_intent intent ON intent.id = deposit.payment_intent_id
    LEFT JOIN deposit_balance balance ON balance.chain_id = deposit.chain_id
      AND balance.terms_hash = deposit.terms_hash AND balance.held > 0
    WHERE deposit.stuck_since IS NOT NULL ${onChain('deposit.chain_id', chainId)} ${ofApp(appId)}
    ORDER BY deposit.stuck_since, deposit.terms_hash, balance.token LIMIT ${ROWS}`;
}

export type RenewalRow = {
  subscriptionId: string;
  appId: string;
  chainId: number | null;
  tokenKey: string | null;
  /** In fiat, with its currency. */
  amount: string | null;
  currency: string | null;
  code: string;
  message: string | null;
  since: Date;
};

/**
 * Subscriptions with failed renewals that count towards their retries, with the cause of the last attempt. `since` is the first failed
 * attempt for the invoice.
 */
export async function readRenewals(database: Database, { chainId, appId }: Scope): Promise<RenewalRow[]> {
  return await database.$queryRaw<RenewalRow[]>`
    SELECT subscription.id::text AS "subscriptionId", subscription.app_id::text AS "appId",
      subscription.authorization_chain_id AS "chainId",
      coalesce(subscription.authorization_token_key, consent.token_key) AS "tokenKey",
      invoice.total::text AS amount, invoice.currency, attempt.error_code AS code, attempt.error_message AS message,
      (SELECT min(first.ended_at) FROM renewal_attempt first
        WHERE first.invoice_id = attempt.invoice_id AND first.status = 'FAILED') AS since
    FROM subscription
    JOIN LATERAL (SELECT * FROM renewal_attempt latest
      WHERE latest.subscription_id = subscription.id AND latest.status = 'FAILED'
      ORDER BY latest.ended_at DESC LIMIT 1) attempt ON true
    LEFT JOIN invoice ON invoice.id = attempt.invoice_id
    LEFT JOIN subscription_consent consent
      ON consent.chain_id = subscription.authorization_chain_id AND consent.consent_id = subscription.consent_id
    WHERE subscription.capture_retry_count > 0 AND subscription.status IN ('ACTIVE', 'PAST_DUE')
      ${onChain('subscription.authorization_chain_id', chainId)}
      ${appId === null ? Prisma.empty : Prisma.sql`AND subscription.app_id = ${appId}::uuid`}
    ORDER BY subscription.id LIMIT ${ROWS}`;
}

export type ClosedChainRow = {
  chainId: number;
  pausedAt: Date | null;
  haltedAt: Date | null;
  haltReason: string | null;
  /** Number of payments in escrow on the chain. */
  payments: number;
};

export async function readClosedChains(database: Database, { chainId, appId }: Scope): Promise<ClosedChainRow[]> {
  return await database.$queryRaw<ClosedChainRow[]>`
    SELECT chain.chain_id AS "chainId", chain.paused_at AS "pausedAt", chain.halted_at AS "haltedAt",
      chain.halt_reason AS "haltReason",
      (SELECT count(*)::int FROM payment_intent intent
        WHERE intent.status IN ('AUTHORIZED', 'CAPTURED', 'REFUND_PENDING')
          AND intent.authorization_chain_id = chain.chain_id ${ofApp(appId)}) AS payments
    FROM chain_cursor chain
    WHERE (chain.paused_at IS NOT NULL OR chain.halted_at IS NOT NULL) ${onChain('chain.chain_id', chainId)}
    ORDER BY chain.chain_id`;
}

/** No transaction of this type is in progress for the intent. */
function withoutStep(type: TransactionType): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (SELECT 1 FROM transaction step WHERE step.payment_intent_id = intent.id
    AND step.type = ${type}::transaction_type AND step.status = 'PENDING')`;
}

type ChainColumn =
  | 'outgoing.chain_id'
  | 'payout.chain_id'
  | 'deposit.chain_id'
  | 'intent.authorization_chain_id'
  | 'subscription.authorization_chain_id'
  | 'chain.chain_id';

function onChain(column: ChainColumn, chainId: number | null): Prisma.Sql {
  return chainId === null ? Prisma.empty : Prisma.sql`AND ${Prisma.raw(column)} = ${chainId}`;
}

/** Filters by the table that the statement calls `intent`. */
function ofApp(appId: string | null): Prisma.Sql {
  return appId === null ? Prisma.empty : Prisma.sql`AND intent.app_id = ${appId}::uuid`;
}
