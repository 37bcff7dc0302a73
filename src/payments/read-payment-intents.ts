/**
 * Reads payment intents with hand-written SQL: one statement for the intents, and one round trip for all of their relations. Each
 * statement contains the caller's scope, so that another merchant's intent is not found.
 */
import { readTogether, runStatement } from '../../prisma/brief-transaction.ts';
import {
  type CreditedPayout,
  type CustomerAccount,
  type CustomerWallet,
  type Database,
  type Dispute,
  type PaymentIntent,
  type PaymentIntentStatus,
  Prisma,
  type Transaction,
} from '../../prisma/client.ts';
import { columnsOf, type WrittenTable } from '../../prisma/written-row.ts';
import type { Scope } from '../auth/principal.ts';
import { paymentIntentTable } from './store.ts';

/** The relations that can be read with an intent. */
export type IntentRelation = 'transactions' | 'payouts' | 'dispute' | 'customerAccount';

type TransactionRow = Transaction & {
  /** Undelivered payouts of this step, oldest first, at most 100. */
  payouts: CreditedPayout[];
  paymentIntent: Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>;
};

type CustomerRow = CustomerAccount & { wallets: CustomerWallet[] };

/** An intent with the requested relations, as Prisma would return them. */
export type ReadIntent = PaymentIntent & {
  /** Oldest first, at most 100. */
  transactions?: TransactionRow[];
  /** Undelivered payouts, oldest first, at most 100. */
  payouts?: CreditedPayout[];
  dispute?: Dispute | null;
  customerAccount?: CustomerRow | null;
};

export const relatedTables = {
  transaction: {
    name: 'transaction',
    fields: Prisma.TransactionScalarFieldEnum,
    json: [],
  } as WrittenTable<Transaction>,
  payout: {
    name: 'credited_payout',
    fields: Prisma.CreditedPayoutScalarFieldEnum,
    json: [],
  } as WrittenTable<CreditedPayout>,
  dispute: { name: 'dispute', fields: Prisma.DisputeScalarFieldEnum, json: [] } as WrittenTable<Dispute>,
  customer: {
    name: 'customer_account',
    fields: Prisma.CustomerAccountScalarFieldEnum,
    json: ['metadata'],
  } as WrittenTable<CustomerAccount>,
  wallet: {
    name: 'customer_wallet',
    fields: Prisma.CustomerWalletScalarFieldEnum,
    json: [],
  } as WrittenTable<CustomerWallet>,
};

/** The maximum number of rows returned per relation. */
const ROWS = 100;

/** The intents with these ids that are in the scope, by id. */
export async function readPaymentIntents(
  database: Database,
  request: { scope: Scope; ids: readonly string[]; relations: ReadonlySet<IntentRelation> },
): Promise<Map<string, ReadIntent>> {
  const intents = await runStatement<PaymentIntent>(database, intentsStatement(request));
  const read = await withRelations(database, intents, request.relations);
  return new Map(read.map((intent) => [intent.id, intent]));
}

type Listed = { scope: Scope; status: PaymentIntentStatus | null };
/** Without statuses, intents in any status are counted. */
type Counted = { scope: Scope; statuses: readonly PaymentIntentStatus[] };

/** One page of the intents, newest first. */
export async function listPaymentIntents(
  database: Database,
  request: Listed & { skip: number; take: number; relations: ReadonlySet<IntentRelation> },
): Promise<ReadIntent[]> {
  const intents = await runStatement<PaymentIntent>(database, listStatement(request));
  return await withRelations(database, intents, request.relations);
}

/** The number of intents, without reading them: the sum of the changes that triggers record with every write. */
export async function countPaymentIntents(database: Database, request: Counted): Promise<number> {
  const [row] = await runStatement<{ count: number }>(database, countStatement(request));
  return row?.count ?? 0;
}

export function intentsStatement({ scope, ids }: { scope: Scope; ids: readonly string[] }): Prisma.Sql {
  return Prisma.sql`SELECT ${columnsOf(paymentIntentTable, 'intent')} FROM payment_intent intent
    WHERE intent.id ${amongIds(ids)} AND ${inScope(scope, 'intent')}`;
}

export function listStatement({ scope, status, skip, take }: Listed & { skip: number; take: number }): Prisma.Sql {
  return Prisma.sql`SELECT ${columnsOf(paymentIntentTable, 'intent')} FROM payment_intent intent
    WHERE ${inScope(scope, 'intent')} ${ofStatus(status)} ORDER BY intent.id DESC LIMIT ${take}::bigint OFFSET ${skip}::bigint`;
}

export function countStatement({ scope, statuses }: Counted): Prisma.Sql {
  const inStatus =
    statuses.length === 0 ? Prisma.empty : Prisma.sql`AND counted.status = ANY (${statuses}::payment_intent_status[])`;
  return Prisma.sql`SELECT coalesce(sum(counted.change), 0)::int AS count FROM payment_intent_count counted
    WHERE ${inScope(scope, 'counted')} ${inStatus}`;
}

/** For a single app, a condition that is evaluated once per statement; for all apps of a merchant, a semi-join. */
function inScope({ merchantId, appId }: Scope, alias: 'intent' | 'counted'): Prisma.Sql {
  const column = Prisma.raw(`${alias}.app_id`);
  return appId === null
    ? Prisma.sql`${column} IN (SELECT id FROM app WHERE merchant_id = ${merchantId}::uuid)`
    : Prisma.sql`${column} = ${appId}::uuid
        AND EXISTS (SELECT FROM app WHERE id = ${appId}::uuid AND merchant_id = ${merchantId}::uuid)`;
}

/**
 * A single id is compared by `=`: Postgres then keeps the plan of the prepared statement, whereas it would plan a comparison with an
 * array of one element again for every execution, which takes longer than the read itself.
 */
function amongIds(ids: readonly string[]): Prisma.Sql {
  return ids.length === 1 ? Prisma.sql`= ${ids[0]}::uuid` : Prisma.sql`= ANY (${ids}::uuid[])`;
}

function ofStatus(status: PaymentIntentStatus | null): Prisma.Sql {
  return status === null ? Prisma.empty : Prisma.sql`AND intent.status = ${status}::payment_intent_status`;
}

/** The statements for the relations of intents that were found in the caller's scope, by relation. */
export function relationStatements(ids: readonly string[], customerIds: readonly string[]) {
  const { transaction, payout, dispute, customer, wallet } = relatedTables;
  const [among, amongCustomers] = [amongIds(ids), amongIds(customerIds)];
  const steps = (parent: Prisma.Sql) => Prisma.sql`SELECT ${columnsOf(transaction, 'step')} FROM transaction step
      WHERE step.payment_intent_id = ${parent} ORDER BY step.created_at, step.id LIMIT ${Prisma.raw(String(ROWS))}`;
  return {
    transactions:
      ids.length === 1
        ? steps(Prisma.sql`${ids[0]}::uuid`)
        : Prisma.sql`SELECT child.* FROM unnest(${ids}::uuid[]) AS parent(id),
            LATERAL (${steps(Prisma.sql`parent.id`)}) AS child ORDER BY child."createdAt", child.id`,
    payouts: Prisma.sql`SELECT ${columnsOf(payout, 'payout')} FROM credited_payout payout
      WHERE payout.payment_intent_id ${among} AND payout.delivered_at IS NULL
      ORDER BY payout.credited_at, payout.id`,
    dispute: Prisma.sql`SELECT ${columnsOf(dispute, 'dispute')} FROM dispute
      WHERE dispute.payment_intent_id ${among}`,
    customers: Prisma.sql`SELECT ${columnsOf(customer, 'customer')} FROM customer_account customer
      WHERE customer.id ${amongCustomers}`,
    wallets: Prisma.sql`SELECT ${columnsOf(wallet, 'wallet')} FROM customer_wallet wallet
      WHERE wallet.customer_account_id ${amongCustomers} ORDER BY wallet.id`,
  };
}

async function withRelations(
  database: Database,
  intents: readonly PaymentIntent[],
  relations: ReadonlySet<IntentRelation>,
): Promise<ReadIntent[]> {
  if (intents.length === 0 || relations.size === 0) return [...intents];
  const ids = intents.map(({ id }) => id);
  const customerIds = [...new Set(intents.flatMap(({ customerAccountId }) => customerAccountId ?? []))];
  const all = relationStatements(ids, customerIds);
  const wantsSteps = relations.has('transactions');
  const wantsCustomers = relations.has('customerAccount') && customerIds.length > 0;
  const rows = await readTogether<{
    transactions: Transaction;
    payouts: CreditedPayout;
    dispute: Dispute;
    customers: CustomerAccount;
    wallets: CustomerWallet;
  }>(database, {
    ...(wantsSteps ? { transactions: all.transactions } : {}),
    ...(wantsSteps || relations.has('payouts') ? { payouts: all.payouts } : {}),
    ...(relations.has('dispute') ? { dispute: all.dispute } : {}),
    ...(wantsCustomers ? { customers: all.customers, wallets: all.wallets } : {}),
  });
  const stepsOf = Map.groupBy(rows.transactions ?? [], ({ paymentIntentId }) => paymentIntentId);
  const payoutsOf = Map.groupBy(rows.payouts ?? [], ({ paymentIntentId }) => paymentIntentId);
  const payoutsOfStep = Map.groupBy(rows.payouts ?? [], ({ transactionId }) => transactionId);
  const disputeOf = new Map((rows.dispute ?? []).map((dispute) => [dispute.paymentIntentId, dispute]));
  const walletsOf = Map.groupBy(rows.wallets ?? [], ({ customerAccountId }) => customerAccountId);
  const customers = new Map(
    (rows.customers ?? []).map((row) => [row.id, { ...row, wallets: walletsOf.get(row.id) ?? [] }]),
  );
  return intents.map((intent) => {
    const read: ReadIntent = { ...intent };
    if (wantsSteps) {
      const { acceptedTermsHash, authorizationChainId } = intent;
      read.transactions = (stepsOf.get(intent.id) ?? []).map((step) => ({
        ...step,
        payouts: (payoutsOfStep.get(step.id) ?? []).slice(0, ROWS),
        paymentIntent: { acceptedTermsHash, authorizationChainId },
      }));
    }
    if (relations.has('payouts')) read.payouts = (payoutsOf.get(intent.id) ?? []).slice(0, ROWS);
    if (relations.has('dispute')) read.dispute = disputeOf.get(intent.id) ?? null;
    if (relations.has('customerAccount')) {
      read.customerAccount =
        intent.customerAccountId === null ? null : (customers.get(intent.customerAccountId) ?? null);
    }
    return read;
  });
}
