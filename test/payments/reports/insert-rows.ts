import type { Database } from '../../../prisma/client.ts';
import type { Rows } from './mixed-payments.ts';

const BATCH = 1000;

/** Inserts generated payments. */
export async function insertRows(database: Database, rows: Rows): Promise<void> {
  for (const data of batches(rows.intents)) await database.paymentIntent.createMany({ data });
  for (const data of batches(rows.terms)) await database.paymentTerms.createMany({ data });
  for (const data of batches(rows.facts)) await database.chainFact.createMany({ data });
  for (const data of batches(rows.entries)) await database.ledgerEntry.createMany({ data });
  for (const data of batches(rows.payouts)) await database.creditedPayout.createMany({ data });
  for (const data of batches(rows.transactions)) await database.transaction.createMany({ data });
}

function batches<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
}
