/** Prints rows as CSV (RFC 4180) or JSON, page by page. */
import type { Cell, Column, Row } from './report.ts';

export const reportFormats = ['json', 'csv'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Yields the text of a report. The rows are read no faster than the text is. */
export async function* printReport(
  format: ReportFormat,
  columns: readonly Column[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield line(columns.map(({ name }) => name));
    for await (const rows of pages) yield rows.map((row) => csvOf(columns, row)).join('');
    return;
  }
  yield '{"success":true,"data":[';
  let separator = '';
  for await (const rows of pages) {
    for (const row of rows) {
      yield `${separator}${JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null])))}`;
      separator = ',';
    }
  }
  yield ']}';
}

function csvOf(columns: readonly Column[], row: Row): string {
  return line(columns.map(({ name, type }) => (type === 'text' ? harmless(textOf(row[name])) : textOf(row[name]))));
}

function textOf(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? '' : String(cell);
}

/** Escapes what a spreadsheet would evaluate as a formula. Amounts are not text, and keep their signs. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
