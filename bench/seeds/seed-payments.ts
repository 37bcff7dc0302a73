/** Whole payments, as settlement leaves them: every row that a payment has in each table, by one statement per table and chunk. */
import pg from 'pg';

/** Number of rows per payment; with a million payments, `event` is the largest table, with ten million rows. */
export const EVENTS_PER_PAYMENT = 10;
/** Number of payments per customer, regardless of the total. */
export const PAYMENTS_PER_CUSTOMER = 20;
const CHUNK = 20_000;

export type Seeding = { appId: string; chainId: number; tokenKey: string };

/** What identifies a seeded payment: its reference, and its hash and wallet, which are found by them. */
export type SeededPayment = { id: string; reference: string; txHash: string; wallet: string; customerId: string };

/**
 * Adds payments up to `count`, from `from` on. Foreign keys and triggers are off meanwhile, which only a superuser may do; the counted
 * payment intents and the app's cursors are corrected at the end.
 */
export async function seedPayments(
  adminUrl: string,
  { appId, chainId, tokenKey, from, count }: Seeding & { from: number; count: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB'`);
    for (let first = from + 1; first <= count; first += CHUNK) {
      const last = Math.min(count, first + CHUNK - 1);
      await client.query('BEGIN');
      await client.query(seedRows, [appId, first, last]);
      for (const statement of statements) await client.query(statement(appId, chainId, tokenKey));
      await client.query('DROP TABLE seed');
      await client.query('COMMIT');
    }
    await client.query(`INSERT INTO payment_intent_count (app_id, status, change) VALUES ($1, 'SETTLED', $2)`, [
      appId,
      count - from,
    ]);
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** Some of the seeded payments, spread over the whole table. */
export async function sampleSeeded(
  databaseUrl: string,
  { appId, count, take }: { appId: string; count: number; take: number },
): Promise<SeededPayment[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const references = Array.from(
      { length: take },
      (_, index) => `order-${String(1 + Math.floor((index * count) / take)).padStart(9, '0')}`,
    );
    const { rows } = await client.query<SeededPayment>(
      `SELECT id::text, external_id AS reference, authorization_tx_hash AS "txHash", authorization_wallet_address AS wallet,
         customer_account_id::text AS "customerId" FROM payment_intent
       WHERE app_id = $1 AND lower(external_id) = ANY ($2)`,
      [appId, references],
    );
    return rows;
  } finally {
    await client.end();
  }
}

const hex = (of: string) => `'0x' || encode(sha256((${of} || number)::bytea), 'hex')`;
const seedRows = `CREATE TEMPORARY TABLE seed AS
  SELECT number, uuidv7() AS id, uuidv7() AS quote_id, uuidv7() AS session_id,
    md5('customer' || (number - 1) / ${PAYMENTS_PER_CUSTOMER} || $1::text)::uuid AS customer_id,
    '0x' || left(encode(sha256(('wallet' || (number - 1) / ${PAYMENTS_PER_CUSTOMER})::bytea), 'hex'), 40) AS wallet,
    ${hex("'terms'")} AS terms_hash, ${hex("'authorize'")} AS authorize_hash, ${hex("'settle'")} AS settle_hash,
    ${hex("'block'")} AS block_hash, now() - interval '400 days' + number * interval '30 seconds' AS at
  FROM generate_series($2::int, $3::int) AS number`;

type Statement = (appId: string, chainId: number, tokenKey: string) => string;

const intents: Statement = (appId, chainId, tokenKey) => `
  INSERT INTO payment_intent (id, app_id, customer_account_id, external_id, amount, currency, capture_mode, timelock_duration,
    dispute_start_duration, status, authorization_method, authorization_chain_id, authorization_token_key,
    authorization_wallet_address, authorization_tx_hash, authorized_at, crypto_amount, crypto_token_key, crypto_token_decimals,
    exchange_rate, capture_tx_hash, captured_at, timelock_ends_at, settled_at, platform_fee_bps, expires_at, metadata,
    accepted_terms_hash, left_amount, created_at, updated_at)
  SELECT id, '${appId}', customer_id, 'order-' || lpad(number::text, 9, '0'), number % 1000 + 0.99, 'USD', 'AUTOMATIC', 604800, 86400, 'SETTLED',
    'DIRECT', ${chainId}, '${tokenKey}', wallet, authorize_hash, at, 1000000, '${tokenKey}', 6, 1, authorize_hash, at,
    at + interval '7 days', at + interval '7 days', 100, at + interval '1 hour', jsonb_build_object('order', number), terms_hash, 0,
    at, at FROM seed`;

const customers: Statement = (appId) => `
  INSERT INTO customer_account (id, app_id, external_id, email, name)
  SELECT DISTINCT ON (customer_id) customer_id, '${appId}'::uuid, 'customer-' || number, 'payer-' || number || '@example.com',
    'Payer ' || number FROM seed ORDER BY customer_id, number ON CONFLICT DO NOTHING`;

const sessions: Statement = (appId) => `
  INSERT INTO checkout_session (id, app_id, status, client_secret_hash, amount, currency, subtotal, tax_amount, payment_intent_id,
    expires_at, completed_at)
  SELECT session_id, '${appId}', 'COMPLETE', sha256(session_id::text::bytea), 1, 'USD', 1, 0, id, at + interval '1 hour', at FROM seed`;

const quotes: Statement = (_appId, chainId, tokenKey) => `
  INSERT INTO quote (id, payment_intent_id, chain_id, token_key, wallet_address, method, crypto_amount, exchange_rate, expires_at,
    confirmed_at, terms_hash, plan)
  SELECT quote_id, id, ${chainId}, '${tokenKey}', wallet, 'DIRECT', 1000000, 1, at + interval '15 minutes', at, terms_hash,
    '{"kind":"direct"}' FROM seed`;

const terms: Statement = (_appId, chainId, tokenKey) => `
  INSERT INTO payment_terms (terms_hash, chain_id, payment_intent_id, quote_id, token_key, method, terms, operator_signature,
    exchange_rate, authorize_by)
  SELECT terms_hash, ${chainId}, id, quote_id, '${tokenKey}', 'DIRECT', jsonb_build_object('payer', wallet, 'merchant', wallet,
    'operator', wallet, 'arbiter', wallet, 'token', wallet, 'amount', '1000000', 'intent', terms_hash, 'quoteHash', block_hash),
    '0x' || repeat('ab', 65), 1, at + interval '30 minutes' FROM seed`;

const transactions: Statement = (_appId, chainId) => `
  INSERT INTO transaction (id, payment_intent_id, chain_id, type, status, terms_hash, tx_hash, block_number, block_hash, log_index,
    amount, gas_used, created_at, confirmed_at)
  SELECT uuidv7(), id, ${chainId}, step.type::transaction_type, 'CONFIRMED', terms_hash,
    CASE step.place WHEN 2 THEN settle_hash ELSE authorize_hash END, -number, block_hash, step.place, 1000000, 120000, at, at
  FROM seed, (VALUES ('AUTHORIZE', 0), ('CAPTURE', 1), ('SETTLE', 2)) AS step(type, place)`;

const ledger: Statement = (_appId, chainId, tokenKey) => `
  INSERT INTO ledger_entry (id, payment_intent_id, terms_hash, chain_id, token_key, account, amount, kind, tx_hash, block_hash,
    log_index, created_at)
  SELECT uuidv7(), id, terms_hash, ${chainId}, '${tokenKey}', entry.account::ledger_account, entry.amount, entry.kind,
    authorize_hash, block_hash, entry.place, at
  FROM seed, (VALUES ('PAYER', -1000000, 'AUTHORIZE', 0), ('ESCROW', 1000000, 'AUTHORIZE', 0), ('ESCROW', -1000000, 'SETTLE', 2),
    ('MERCHANT', 990000, 'SETTLE', 2), ('FEE', 10000, 'SETTLE', 2)) AS entry(account, amount, kind, place)`;

const facts: Statement = (_appId, chainId) => `
  INSERT INTO chain_fact (chain_id, block_hash, log_index, block_number, block_timestamp, tx_hash, address, kind, ref, args, status,
    applied_at, seen_at)
  SELECT ${chainId}, block_hash, step.place, -number, extract(epoch FROM at)::bigint,
    CASE step.place WHEN 2 THEN settle_hash ELSE authorize_hash END, wallet, step.kind, terms_hash,
    jsonb_build_object('id', terms_hash, 'left', '1000000', 'payer', wallet, 'amount', '1000000', 'intent', terms_hash),
    'FINAL', at, at
  FROM seed, (VALUES ('Authorized', 0), ('Captured', 1), ('Settled', 2), ('Transfer', 3)) AS step(kind, place)`;

const outgoing: Statement = (_appId, chainId) => `
  INSERT INTO outgoing_transaction (id, chain_id, sender, to_address, data, purpose, status, nonce, tx_hash, block_number, block_hash,
    gas_used, confirmed_at, created_at, updated_at)
  SELECT session_id, ${chainId}, '0x00000000000000000000000000000000000000ff', wallet, '0x' || repeat('cd', 356), 'settle:' || terms_hash, 'FINAL', number,
    settle_hash, -number, block_hash, 120000, at, at, at FROM seed`;

const attempts: Statement = () => `
  INSERT INTO outgoing_attempt (hash, outgoing_id, nonce, raw, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, gas_limit,
    created_at, sent_at)
  SELECT settle_hash, session_id, number, '0x' || repeat('ef', 480), 1000000000, 1000000000, 200000, at, at FROM seed`;

/** The data of a payment's event is the payment, and the numbers continue the app's sequence, in which events are written. */
const events: Statement = (appId) => `
  WITH numbered AS (
    UPDATE event_cursor SET last_sequence = last_sequence + (SELECT count(*) * ${EVENTS_PER_PAYMENT} FROM seed)
    WHERE app_id = '${appId}' RETURNING last_sequence - (SELECT count(*) * ${EVENTS_PER_PAYMENT} FROM seed) AS before, last_sequence,
      (SELECT min(number) FROM seed) AS first
  ), consumed AS (
    UPDATE event_consumer SET position = numbered.last_sequence FROM numbered WHERE app_id = '${appId}'
  ), queued AS (
    UPDATE webhook_endpoint SET queued_sequence = numbered.last_sequence FROM numbered WHERE app_id = '${appId}'
  )
  INSERT INTO event (app_id, sequence, id, type, resource_id, data, finality, created_at)
  SELECT '${appId}', numbered.before + (seed.number - numbered.first) * ${EVENTS_PER_PAYMENT} + step.place, uuidv7(),
    step.type, seed.id, jsonb_strip_nulls(to_jsonb(intent)), '{"confirmations":1,"required":1,"isFinal":true}', seed.at
  FROM seed CROSS JOIN numbered CROSS JOIN unnest(ARRAY['payment_intent.created', 'payment_intent.pending', 'payment_intent.authorized',
    'payment_intent.captured', 'checkout_session.completed', 'payment_intent.pending', 'invoice.opened', 'invoice.paid',
    'customer.updated', 'payment_intent.settled']) WITH ORDINALITY AS step(type, place)
    JOIN payment_intent AS intent ON intent.id = seed.id ORDER BY 2`;

const statements: readonly Statement[] = [
  customers,
  intents,
  sessions,
  quotes,
  terms,
  transactions,
  ledger,
  facts,
  outgoing,
  attempts,
  events,
];
