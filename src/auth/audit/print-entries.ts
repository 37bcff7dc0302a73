/** Prints entries of the audit log for other programs, as CSV (RFC 4180) or newline-delimited JSON. */
import type { AuditEntry } from '../../../prisma/client.ts';

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const columns = [
  'id',
  'createdAt',
  'action',
  'actorKind',
  'actorId',
  'actorName',
  'merchantId',
  'appId',
  'targetType',
  'targetId',
  'before',
  'after',
  'address',
  'userAgent',
  'requestId',
] as const satisfies readonly (keyof AuditEntry)[];

/** Returns the text that precedes the first entry. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? line(columns) : '';
}

/** Prints the entries, each followed by a line break. */
export function printEntries(format: ExportFormat, entries: readonly AuditEntry[]): string {
  return entries.map((entry) => (format === 'csv' ? csvOf(entry) : ndjsonOf(entry))).join('');
}

function ndjsonOf(entry: AuditEntry): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, entry[name]])))}\n`;
}

function csvOf(entry: AuditEntry): string {
  return line(columns.map((name) => cell(entry[name])));
}

function cell(value: AuditEntry[keyof AuditEntry]): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/** Escapes cells that a spreadsheet would evaluate as formulas, because names are chosen by third parties. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
