/**
 * Reads payment intents with hand-written SQL: one statement, which contains the caller's scope, so that another merchant's intent is not
 * found, and returns the requested relations as JSON.
 */
import { runStatement, type Statement } from '../../prisma/brief-transaction.ts';
import {
  type CreditedPayout,
  type CustomerAccount,
  type CustomerWallet,
  type Database,
  type DepositAddress,
  type DepositBalance,
  type Dispute,
  type PaymentIntent,
  type PaymentIntentStatus,
  Prisma,
  type Transaction,
} from '../../prisma/client.ts';
import { columnsOf, columnTexts, type RelatedTable, rowFromJson } from '../../prisma/written-row.ts';
import type { Scope } from '../auth/principal.ts';
import { paymentIntentTable } from './store.ts';

/** The relations that can be read with an intent. */
export type IntentRelation = 'transactions' | 'payouts' | 'deposits' | 'dispute' | 'customerAccount';

type TransactionRow = Transaction & {
  /** Undelivered payouts of this step, oldest first, at most 100. */
  payouts: CreditedPayout[];
  paymentIntent: Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>;
};

type DepositRow = DepositAddress & { balances: DepositBalance[] };

type CustomerRow = CustomerAccount & { wallets: CustomerWallet[] };

/** An intent with the requested relations, as Prisma would return them. */
export type ReadIntent = PaymentIntent & {
  /** Oldest first, at most 100. */
  transactions?: TransactionRow[];
  /** Undelivered payouts, oldest first, at most 100. */
  payouts?: CreditedPayout[];
  /** Deposit addresses, oldest first, with their balances. */
  deposits?: DepositRow[];
  dispute?: Dispute | null;
  customerAccount?: CustomerRow | null;
};

const transactionTable: RelatedTable<Transaction> = {
  name: 'transaction',
  fields: Prisma.TransactionScalarFieldEnum,
  json: [],
  kinds: {
    blockNumber: 'integer',
    amount: 'decimal',
    gasUsed: 'integer',
    gasCostWei: 'decimal',
    gasCostUsd: 'decimal',
    createdAt: 'instant',
    confirmedAt: 'instant',
  },
};
const payoutTable: RelatedTable<CreditedPayout> = {
  name: 'credited_payout',
  fields: Prisma.CreditedPayoutScalarFieldEnum,
  json: [],
  kinds: {
    amount: 'decimal',
    blockNumber: 'integer',
    creditedAt: 'instant',
    deliveredBlockNumber: 'integer',
    deliveredAt: 'instant',
    nextTryAt: 'instant',
    createdAt: 'instant',
  },
};
const depositTable: RelatedTable<DepositAddress> = {
  name: 'deposit_address',
  fields: Prisma.DepositAddressScalarFieldEnum,
  json: [],
  kinds: {
    amount: 'decimal',
    expiresAt: 'instant',
    authorizeBy: 'instant',
    lookAt: 'instant',
    seenNumber: 'integer',
    actAt: 'instant',
    stuckSince: 'instant',
    createdAt: 'instant',
  },
};
const balanceTable: RelatedTable<DepositBalance> = {
  name: 'deposit_balance',
  fields: Prisma.DepositBalanceScalarFieldEnum,
  json: [],
  kinds: { received: 'decimal', returned: 'decimal', held: 'decimal' },
};
const disputeTable: RelatedTable<Dispute> = {
  name: 'dispute',
  fields: Prisma.DisputeScalarFieldEnum,
  json: [],
  kinds: { deadline: 'instant', createdAt: 'instant', resolvedAt: 'instant', warnedAt: 'instant' },
};
const customerTable: RelatedTable<CustomerAccount> = {
  name: 'customer_account',
  fields: Prisma.CustomerAccountScalarFieldEnum,
  json: ['metadata'],
  kinds: { createdAt: 'instant', updatedAt: 'instant' },
};
const walletTable: RelatedTable<CustomerWallet> = {
  name: 'customer_wallet',
  fields: Prisma.CustomerWalletScalarFieldEnum,
  json: [],
  kinds: { authorizedAt: 'instant', createdAt: 'instant', updatedAt: 'instant' },
};

export const relatedTables = {
  transaction: transactionTable,
  payout: payoutTable,
  deposit: depositTable,
  balance: balanceTable,
  dispute: disputeTable,
  customer: customerTable,
  wallet: walletTable,
};

/** The maximum number of rows returned per relation. */
const ROWS = 100;

/** The intents with these ids that are in the scope, by id. If `columns` is not null, only these and the id are read. */
export async function readPaymentIntents(database: Database, request: Identified): Promise<Map<string, ReadIntent>> {
  const rows = await runStatement<IntentRow>(database, intentsStatement(request));
  return new Map(rows.map((row) => [row.id, intentFrom(row, request.relations)]));
}

type Identified = {
  scope: Scope;
  ids: readonly string[];
  relations: ReadonlySet<IntentRelation>;
  columns?: ReadonlySet<string> | null;
};
type Listed = { scope: Scope; status: PaymentIntentStatus | null };
/** Without statuses, intents in any status are counted. */
type Counted = { scope: Scope; statuses: readonly PaymentIntentStatus[] };

type Page = Listed & { skip: number; take: number; relations: ReadonlySet<IntentRelation> };

/** One page of the intents, newest first. */
export async function listPaymentIntents(database: Database, request: Page): Promise<ReadIntent[]> {
  const rows = await runStatement<IntentRow>(database, listStatement(request));
  return rows.map((row) => intentFrom(row, request.relations));
}

/** The number of intents, without reading them: the sum of the changes that triggers record with every write. */
export async function countPaymentIntents(database: Database, request: Counted): Promise<number> {
  const [row] = await runStatement<{ count: number }>(database, countStatement(request));
  return row?.count ?? 0;
}

export function intentsStatement({ scope, ids, relations, columns = null }: Identified): Statement {
  const places = PLACES.find((count) => ids.length <= count) ?? ids.length;
  const among = Prisma.join(
    Array.from({ length: places }, (_, place) => Prisma.sql`${ids[place] ?? ids.at(-1)}::uuid`),
  );
  const statement = Prisma.sql`SELECT ${selectedColumns(relations, columns)} FROM payment_intent intent
    WHERE intent.id IN (${among}) AND ${inScope(scope, 'intent')}`;
  // A selection may be empty, which is not the same as all columns.
  const selected = columns ? `only ${[...columns].join()}` : 'all';
  return withKeptText(`${places} ${shapeOf(scope, relations)} ${selected}`, statement);
}

/**
 * The numbers of ids for which there is a statement. The last id is repeated until all places are filled. Postgres keeps the plan of such a
 * statement; one with a short array would be planned again for every execution.
 */
const PLACES = [1, 4, 16];

export function listStatement({ scope, status, skip, take, relations }: Page): Statement {
  const inStatus = status === null ? Prisma.empty : Prisma.sql`AND intent.status = ${status}::payment_intent_status`;
  const statement = Prisma.sql`SELECT ${selectedColumns(relations, null)} FROM payment_intent intent
    WHERE ${inScope(scope, 'intent')} ${inStatus} ORDER BY intent.id DESC LIMIT ${take}::bigint OFFSET ${skip}::bigint`;
  return withKeptText(`${status === null ? 'list' : 'list in a status'} ${shapeOf(scope, relations)}`, statement);
}

export function countStatement({ scope, statuses }: Counted): Prisma.Sql {
  const inStatus =
    statuses.length === 0 ? Prisma.empty : Prisma.sql`AND counted.status = ANY (${statuses}::payment_intent_status[])`;
  return Prisma.sql`SELECT coalesce(sum(counted.change), 0)::int AS count FROM payment_intent_count counted
    WHERE ${inScope(scope, 'counted')} ${inStatus}`;
}

const texts = new Map<string, string>();

/**
 * Replaces the text of a statement by the one of the first statement of the same shape. The texts have thousands of characters, and a string
 * that was compared once keeps its hash.
 */
function withKeptText(shape: string, statement: Prisma.Sql): Statement {
  const text = texts.get(shape) ?? statement.text;
  texts.set(shape, text);
  return { text, values: statement.values };
}

function shapeOf({ appId }: Scope, relations: ReadonlySet<IntentRelation>): string {
  return [appId === null ? 'apps' : 'app', ...relations].join();
}

/** For a single app, a condition that is evaluated once per statement; for all apps of a merchant, a semi-join. */
function inScope({ merchantId, appId }: Scope, alias: 'intent' | 'counted'): Prisma.Sql {
  const column = Prisma.raw(`${alias}.app_id`);
  return appId === null
    ? Prisma.sql`${column} IN (SELECT id FROM app WHERE merchant_id = ${merchantId}::uuid)`
    : Prisma.sql`${column} = ${appId}::uuid
        AND EXISTS (SELECT FROM app WHERE id = ${appId}::uuid AND merchant_id = ${merchantId}::uuid)`;
}

/** The columns of an intent, or the given ones and the id, and of each relation one column of JSON. */
function selectedColumns(relations: ReadonlySet<IntentRelation>, columns: ReadonlySet<string> | null): Prisma.Sql {
  const related: string[] = [];
  if (relations.has('transactions')) related.push(`${TRANSACTIONS} AS "steps"`);
  if (relations.has('transactions') || relations.has('payouts')) related.push(`${PAYOUTS} AS "undelivered"`);
  if (relations.has('deposits')) related.push(`${DEPOSITS} AS "deposited"`);
  if (relations.has('dispute')) related.push(`${DISPUTE} AS "disputed"`);
  if (relations.has('customerAccount')) related.push(`${CUSTOMER} AS "customer"`);
  const own = columns
    ? columnTexts(paymentIntentTable, 'intent', (field) => field === 'id' || columns.has(field)).join(', ')
    : columnsOf(paymentIntentTable, 'intent').text;
  return Prisma.raw([own, ...related].join(', '));
}

const TRANSACTIONS = `(SELECT json_agg(step) FROM (SELECT ${columnsOf(transactionTable, 'step').text}
    FROM transaction step WHERE step.payment_intent_id = intent.id ORDER BY step.created_at, step.id LIMIT ${ROWS}) step)`;
const PAYOUTS = `(SELECT json_agg(payout) FROM (SELECT ${columnsOf(payoutTable, 'payout').text}
    FROM credited_payout payout WHERE payout.payment_intent_id = intent.id AND payout.delivered_at IS NULL
    ORDER BY payout.credited_at, payout.id) payout)`;
const DEPOSITS = `(SELECT json_agg(found) FROM (SELECT ${columnsOf(depositTable, 'deposit').text},
      (SELECT json_agg(lying) FROM (SELECT ${columnsOf(balanceTable, 'balance').text} FROM deposit_balance balance
        WHERE balance.chain_id = deposit.chain_id AND balance.terms_hash = deposit.terms_hash ORDER BY balance.token) lying) AS balances
    FROM deposit_address deposit WHERE deposit.payment_intent_id = intent.id ORDER BY deposit.created_at, deposit.terms_hash) found)`;
const DISPUTE = `(SELECT to_json(found) FROM (SELECT ${columnsOf(disputeTable, 'dispute').text}
    FROM dispute WHERE dispute.payment_intent_id = intent.id) found)`;
const CUSTOMER = `(SELECT to_json(found) FROM (SELECT ${columnsOf(customerTable, 'customer').text},
      (SELECT json_agg(held) FROM (SELECT ${columnsOf(walletTable, 'wallet').text}
        FROM customer_wallet wallet WHERE wallet.customer_account_id = customer.id ORDER BY wallet.id) held) AS wallets
    FROM customer_account customer WHERE customer.id = intent.customer_account_id) found)`;

type Json = Record<string, unknown>;

/** Null where a relation has no rows; undefined where it was not requested. */
type IntentRow = PaymentIntent & {
  steps?: Json[] | null;
  undelivered?: Json[] | null;
  deposited?: (Json & { balances: Json[] | null })[] | null;
  disputed?: Json | null;
  customer?: (Json & { wallets: Json[] | null }) | null;
};

function intentFrom(row: IntentRow, relations: ReadonlySet<IntentRelation>): ReadIntent {
  const { steps, undelivered, deposited, disputed, customer, ...intent } = row;
  if (relations.size === 0) return intent;
  const read: ReadIntent = intent;
  const payouts = (undelivered ?? []).map((payout) => rowFromJson(payoutTable, payout));
  if (relations.has('transactions')) {
    const { acceptedTermsHash, authorizationChainId } = intent;
    const payoutsOf = Map.groupBy(payouts, ({ transactionId }) => transactionId);
    read.transactions = (steps ?? []).map((json) => {
      const step = rowFromJson(transactionTable, json);
      return {
        ...step,
        payouts: (payoutsOf.get(step.id) ?? []).slice(0, ROWS),
        paymentIntent: { acceptedTermsHash, authorizationChainId },
      };
    });
  }
  if (relations.has('payouts')) read.payouts = payouts.slice(0, ROWS);
  if (relations.has('deposits')) {
    read.deposits = (deposited ?? []).map((deposit) => ({
      ...rowFromJson(depositTable, deposit),
      balances: (deposit.balances ?? []).map((balance) => rowFromJson(balanceTable, balance)),
    }));
  }
  if (relations.has('dispute')) read.dispute = disputed ? rowFromJson(disputeTable, disputed) : null;
  if (relations.has('customerAccount')) {
    read.customerAccount = customer
      ? {
          ...rowFromJson(customerTable, customer),
          wallets: (customer.wallets ?? []).map((wallet) => rowFromJson(walletTable, wallet)),
        }
      : null;
  }
  return read;
}
