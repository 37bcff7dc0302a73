import type { ListPaymentIntentsQuery, PaymentIntent } from '@sluice/sdk';
import { type Command, type Given, number, text, UsageError } from '../command.ts';
import { openSluice } from '../credentials.ts';
import { printTable } from '../print-table.ts';

export const listPayments: Command = {
  usage: '[--status CAPTURED] [--limit 20]',
  summary: 'Lists payment intents, newest first.',
  options: { status: { type: 'string' }, limit: { type: 'string' } },
  async run(given) {
    const status = text(given, 'status') as ListPaymentIntentsQuery['status'];
    const limit = number(given, 'limit') ?? 20;
    const rows: PaymentIntent[] = [];
    const query = { pageSize: Math.max(Math.min(limit, 100), 1), ...(status ? { status } : {}) };
    for await (const intent of openSluice().paymentIntents.list(query, { signal: given.signal })) {
      if (rows.length >= limit) break;
      rows.push(intent);
    }
    if (given.isJson) return console.log(JSON.stringify(rows));
    if (rows.length === 0) return console.log('There are no such payments.');
    printTable(
      ['ID', 'STATUS', 'AMOUNT', 'TOKEN', 'REFERENCE', 'CREATED'],
      rows.map((row) => [
        row.id,
        row.status,
        `${row.amount} ${row.currency}`,
        row.cryptoTokenKey ?? '–',
        row.externalId ?? '–',
        row.createdAt,
      ]),
    );
  },
};

export const getPayment: Command = {
  usage: '<id>',
  summary: 'Shows a payment intent and its transactions.',
  options: {},
  async run(given) {
    const intent = await openSluice().paymentIntents.get(idOf(given), { signal: given.signal });
    if (given.isJson) return console.log(JSON.stringify(intent));
    const { transactions, ...own } = intent;
    const facts = Object.entries(own).filter(([, value]) => value !== null && typeof value !== 'object');
    printTable(
      ['FIELD', 'VALUE'],
      facts.map(([name, value]) => [name, String(value)]),
    );
    console.log('');
    printTable(
      ['TRANSACTION', 'STATUS', 'AMOUNT', 'HASH'],
      transactions.map((one) => [one.type, one.status, one.amount ?? '–', one.txHash ?? '–']),
    );
  },
};

export const refundPayment: Command = {
  usage: '<id> --reason "Returned" [--amount BASE_UNITS | --percent N] [--idempotency-key KEY]',
  summary: 'Refunds the remaining amount of a payment, or a part of it.',
  options: {
    reason: { type: 'string' },
    amount: { type: 'string' },
    percent: { type: 'string' },
    'idempotency-key': { type: 'string' },
  },
  async run(given) {
    const reason = text(given, 'reason');
    if (reason === undefined) throw new UsageError('Give the reason with --reason.');
    const amount = text(given, 'amount');
    const percent = number(given, 'percent');
    const key = text(given, 'idempotency-key');
    const refund = await openSluice().paymentIntents.refund(
      idOf(given),
      { reason, ...(amount === undefined ? {} : { amount }), ...(percent === undefined ? {} : { percent }) },
      { signal: given.signal, ...(key === undefined ? {} : { idempotencyKey: key }) },
    );
    if (given.isJson) return console.log(JSON.stringify(refund));
    console.log(
      `Refund ${refund.refundId} of ${refund.amount} base units of ${refund.tokenKey} is ${refund.status}; ${refund.leftoverAfter} are left.`,
    );
  },
};

function idOf({ positionals }: Given): string {
  const [id, ...rest] = positionals;
  if (id === undefined || rest.length > 0) throw new UsageError('Give the id of one payment intent.');
  return id;
}
