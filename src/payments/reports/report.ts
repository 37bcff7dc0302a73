/**
 * A report is a table about one app and one period. Its columns are defined once (report-columns.ts), and both formats and the OpenAPI
 * document are derived from them. Reports only read: the authority for every figure is the ledger, and for gas the transactions. Payments to
 * other servers, which are in no ledger, have rows of their own.
 *
 * A period includes `from` and excludes `to`. What is booked is selected by the time of its booking, which never changes, so that the
 * report of a period that is over stays the same: a reorganization adds entries to the period in which it is noticed.
 */

/** Amounts are decimal strings. Integers are identifiers and counts, never money. */
export type Cell = string | number | null;
export type Row = Record<string, Cell>;

/** `text` may contain what a third party chose. */
export type ColumnType = 'amount' | 'id' | 'integer' | 'text' | 'time';

export type Column = { name: string; type: ColumnType; description: string };

export type Period = { from: Date; to: Date };

/** The app whose report it is. */
export type ReportScope = { merchantId: string; appId: string };

export type ReportRequest = { scope: ReportScope; period: Period };

/** Rows that are read together, so that memory does not depend on the length of a report. */
export const REPORT_PAGE = 500;
