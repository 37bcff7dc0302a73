/**
 * Finds what is still open of the escrow contract's first edition in a database. Builds for the second edition ignore the first, so neither
 * the migrations nor any part of the program proceed while anything is open.
 */
import type pg from 'pg';

/** From this migration on, rows record their edition. */
export const secondEditionMigration = '20261123140000_payments_by_chain';

/** Number of rows listed of each kind. Further rows are only counted. */
const LISTED = 50;

export class FirstEditionOpen extends Error {
  override readonly name = 'FirstEditionOpen';
}

type OpenPayment = { id: string; app: string; chain: number; status: string; disputed: boolean; doing: string };
type UnreadChain = { chain: number; halted: boolean };
type OpenConsent = { id: string; app: string; status: string; chain: number; wallet: string };

/**
 * Throws FirstEditionOpen, which lists what is open and what to do about it: payments whose funds are in the contract, that can still be
 * authorized, or whose latest event is not final; consents that a subscription would be charged by; and chains on which a payment may have
 * been made that has not been read yet. Changes nothing. A database that was migrated to the second edition had nothing open.
 */
export async function requireFirstEditionClosed(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ terms: string | null; marked: boolean }>(
    `SELECT to_regclass('payment_terms')::text AS terms, EXISTS (SELECT 1 FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = 'payment_terms' AND column_name = 'edition') AS marked`,
  );
  const [found] = rows;
  if (!found || found.terms === null || found.marked) return;
  const payments = await readPayments(client);
  const consents = await readConsents(client);
  const chains = await readUnreadChains(client);
  if (payments.length + consents.length + chains.length === 0) return;
  throw new FirstEditionOpen(printOpen({ payments, consents, chains }));
}

/**
 * Returns the chains that are halted, or whose final blocks are not known up to the time after which none of their terms can be authorized.
 */
async function readUnreadChains(client: pg.ClientBase): Promise<UnreadChain[]> {
  const { rows } = await client.query<UnreadChain>(
    `SELECT terms.chain_id AS chain, coalesce(bool_or(cursor.halted_at IS NOT NULL), false) AS halted
     FROM payment_terms terms LEFT JOIN chain_cursor cursor ON cursor.chain_id = terms.chain_id
     WHERE terms.terms ->> 'vault' IS NULL GROUP BY terms.chain_id
     HAVING bool_or(cursor.halted_at IS NOT NULL)
       OR coalesce(min(cursor.finalized_timestamp), 0) <= extract(epoch FROM max(terms.authorize_by))
     ORDER BY terms.chain_id`,
  );
  return rows;
}

/** Only terms on Solana, which belong to no contract, name a vault. */
async function readPayments(client: pg.ClientBase): Promise<OpenPayment[]> {
  const { rows } = await client.query<OpenPayment>(
    `SELECT intent.id, app.name AS app, terms.chain_id AS chain, intent.status::text AS status,
       EXISTS (SELECT 1 FROM dispute WHERE dispute.payment_intent_id = intent.id AND dispute.status = 'OPEN'
         AND intent.accepted_terms_hash = terms.terms_hash) AS disputed,
       CASE WHEN held.amount > 0 AND intent.accepted_terms_hash = terms.terms_hash THEN 'HELD'
         WHEN held.amount > 0 THEN 'RETURNED' WHEN moving.found THEN 'MOVING' ELSE 'PAYABLE' END AS doing
     FROM payment_terms terms
     JOIN payment_intent intent ON intent.id = terms.payment_intent_id
     JOIN app ON app.id = intent.app_id
     CROSS JOIN LATERAL (SELECT coalesce(sum(entry.amount), 0) AS amount FROM ledger_entry entry
       WHERE entry.terms_hash = terms.terms_hash AND entry.chain_id = terms.chain_id AND entry.account = 'ESCROW') held
     CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM chain_fact fact WHERE fact.chain_id = terms.chain_id
       AND fact.ref = terms.terms_hash AND fact.status IN ('SEEN', 'CONFIRMED')) AS found) moving
     WHERE terms.terms ->> 'vault' IS NULL AND (held.amount > 0 OR moving.found OR terms.authorize_by >= now())
     ORDER BY intent.id`,
  );
  return rows;
}

/** A subscription that ends with its period is not charged again, unless its last charge is still due. */
async function readConsents(client: pg.ClientBase): Promise<OpenConsent[]> {
  const { rows } = await client.query<OpenConsent>(
    `SELECT subscription.id, app.name AS app, subscription.status::text AS status, consent.chain_id AS chain,
       consent.wallet_address AS wallet
     FROM subscription
     JOIN subscription_consent consent ON consent.consent_id = subscription.consent_id
       AND consent.chain_id = subscription.authorization_chain_id
     JOIN app ON app.id = subscription.app_id
     WHERE subscription.status <> 'CANCELLED'
       AND NOT (subscription.cancel_at_period_end AND subscription.status IN ('ACTIVE', 'PAUSED'))
     ORDER BY subscription.id`,
  );
  return rows;
}

const whatToDo: Record<string, string> = {
  AUTHORIZED: 'capture or cancel it',
  CAPTURED: 'let it settle after its timelock, or refund it',
  REFUND_PENDING: 'wait until the refund is on chain',
  FAILED: 'wait until its hold is voided',
};

function printPayment({ id, app, chain, status, disputed, doing }: OpenPayment): string {
  const held = disputed
    ? 'concede or resolve its dispute, or refund it'
    : (whatToDo[status] ?? 'wait for its transaction');
  const act =
    doing === 'HELD'
      ? held
      : doing === 'RETURNED'
        ? 'wait until this second payment is given back'
        : doing === 'MOVING'
          ? 'wait until its last block is final'
          : 'wait until its quote can no longer be paid';
  return `  payment ${id}  chain ${chain}  ${disputed ? 'in dispute' : status}  (${app}): ${act}.`;
}

function printConsent({ id, app, chain, status, wallet }: OpenConsent): string {
  return `  subscription ${id}  chain ${chain}  ${status}  (${app}): cancel it, now or at the end of its period; ${wallet} consents again.`;
}

function printChain({ chain, halted }: UnreadChain): string {
  return halted
    ? `  chain ${chain} is halted: resume it with npm run ops -- chain resync ${chain}.`
    : `  chain ${chain} is not read up to the end of its last quote: wait until its indexer has caught up and the block is final.`;
}

function printOpen(open: {
  payments: readonly OpenPayment[];
  consents: readonly OpenConsent[];
  chains: readonly UnreadChain[];
}): string {
  const { payments, consents, chains } = open;
  return [
    'This database has payments or consents of the first edition of the escrow contract that are open, or may be. This',
    'version acts on the second edition only, so it does not start and has changed nothing. Run the version before until',
    'these are finished, and then upgrade (docs/operations.md, "Upgrade from the first edition"). To discard a',
    'development installation instead, stop it and remove its folder (.local).',
    ...chains.map(printChain),
    ...listed(payments.map(printPayment), 'payments'),
    ...listed(consents.map(printConsent), 'subscriptions'),
  ].join('\n');
}

function listed(lines: readonly string[], kind: string): string[] {
  const rest = lines.length - LISTED;
  return rest > 0 ? [...lines.slice(0, LISTED), `  and ${rest} more ${kind}`] : [...lines];
}
