/** The reports that are served, by the last part of their path. */
import type { ScopedDatabase } from '../../../auth/scoped-database.ts';
import { type JournalFormat, journalFormats, printJournal } from '../../../payments/reports/ledger/print-journal.ts';
import { readJournal } from '../../../payments/reports/ledger/read-journal.ts';
import { printReport, type ReportFormat, reportFormats } from '../../../payments/reports/print-report.ts';
import { readBalances } from '../../../payments/reports/read-balances.ts';
import { readFacilitated } from '../../../payments/reports/read-facilitated.ts';
import { readFees, readPayments } from '../../../payments/reports/read-payment-rows.ts';
import { readPayouts } from '../../../payments/reports/read-payouts.ts';
import { readReconciliation } from '../../../payments/reports/reconciliation/read-reconciliation.ts';
import type { Column, ReportRequest, Row } from '../../../payments/reports/report.ts';
import {
  balanceColumns,
  facilitatedColumns,
  feeColumns,
  paymentColumns,
  payoutColumns,
  reconciliationColumns,
} from '../../../payments/reports/report-columns.ts';
import type { World } from '../../graphql/server/world.ts';

export type Format = ReportFormat | JournalFormat;

/** What a report is read from. `scoped` finds rows of the caller only. */
export type ReportWorld = Pick<World, 'database' | 'registry'> & { scoped: ScopedDatabase };

type Printed = (world: ReportWorld, request: ReportRequest) => AsyncGenerator<string>;
export type Report = {
  summary: string;
  /** Null for a journal. */
  columns: readonly Column[] | null;
  /** The first format is the default. */
  formats: readonly Format[];
  print(format: Format): Printed;
};

export const reports: ReadonlyMap<string, Report> = new Map([
  [
    'payments',
    table('One row per payment intent that was created in the period', paymentColumns, (world, request) =>
      readPayments({ ...world, database: world.scoped }, request),
    ),
  ],
  ['payouts', table('One row per transfer out of escrow that was booked in the period', payoutColumns, readPayouts)],
  [
    'fees',
    table(
      'The platform fee and the gas of each payment intent that was created in the period',
      feeColumns,
      (world, request) => readFees({ ...world, database: world.scoped }, request),
    ),
  ],
  [
    'balances',
    table(
      'What the escrow held for the app at the end of the period, by chain and token',
      balanceColumns,
      readBalances,
    ),
  ],
  [
    'reconciliation',
    table(
      'Every transfer from the escrow to a payout address, by day, with totals and the differences between the books and the chain',
      reconciliationColumns,
      readReconciliation,
    ),
  ],
  [
    'facilitated',
    table(
      'The x402 payments to other servers that were accepted in the period and the fees that are billed for them, by month, receiver, chain and token',
      facilitatedColumns,
      readFacilitated,
    ),
  ],
  ['ledger', journal('The ledger of the period as a journal for hledger or Beancount')],
]);

function table(
  summary: string,
  columns: readonly Column[],
  read: (world: ReportWorld, request: ReportRequest) => AsyncGenerator<Row[]>,
): Report {
  return {
    summary,
    columns,
    formats: reportFormats,
    print: (wanted) => (world, request) =>
      printReport(reportFormats.find((format) => format === wanted) ?? 'json', columns, read(world, request)),
  };
}

function journal(summary: string): Report {
  return {
    summary,
    columns: null,
    formats: journalFormats,
    print: (wanted) => (world, request) =>
      printJournal(
        journalFormats.find((format) => format === wanted) ?? 'hledger',
        request,
        readJournal(world, request),
      ),
  };
}
