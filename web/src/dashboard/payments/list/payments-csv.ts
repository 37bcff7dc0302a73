/** The list as CSV (RFC 4180), page by page. Amounts are exact: fiat as returned by the API, tokens as plain decimals. */
import type { PaymentRowFragment } from '../../../../../generated/web/documents.ts';
import { plainDecimal } from '../../../ui/formats/money.ts';

const columns: [name: string, value: (row: PaymentRowFragment) => string | null | undefined][] = [
  ['id', (row) => row.id],
  ['created_at', (row) => row.createdAt],
  ['status', (row) => row.status],
  ['amount', (row) => row.amount],
  ['currency', (row) => row.currency],
  ['token', (row) => row.cryptoTokenKey],
  ['token_amount', (row) => tokens(row)],
  ['chain_id', (row) => row.authorizationChainId?.toString()],
  ['wallet', (row) => row.authorizationWalletAddress],
  ['transaction_hash', (row) => row.authorizationTxHash],
  ['reference', (row) => row.externalId],
  ['customer_id', (row) => row.customerAccount?.id],
  ['customer_name', (row) => row.customerAccount?.name],
  ['customer_email', (row) => row.customerAccount?.email],
  ['captured_at', (row) => row.capturedAt],
  ['settled_at', (row) => row.settledAt],
  ['refunded_at', (row) => row.refundedAt],
  ['flags', (row) => row.flags.join(' ')],
];

type Page = { rows: readonly PaymentRowFragment[]; next: string | null };

/** Yields the text of each page, starting with the header. `read` is called for one page after another until there are no more. */
export async function* paymentsCsv(read: (after: string | null) => Promise<Page>): AsyncGenerator<string> {
  yield line(columns.map(([name]) => name));
  let after: string | null = null;
  do {
    const page: Page = await read(after);
    if (page.rows.length > 0) yield page.rows.map((row) => line(columns.map(([, value]) => value(row)))).join('');
    after = page.next;
  } while (after !== null);
}

function tokens({ cryptoAmount, cryptoTokenDecimals }: PaymentRowFragment): string | null {
  if (cryptoAmount == null || cryptoTokenDecimals == null) return null;
  return plainDecimal(BigInt(cryptoAmount), cryptoTokenDecimals);
}

function line(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((cell) => quoted(cell ?? '')).join(',')}\r\n`;
}

/** Quotes a cell that a spreadsheet would interpret as a formula, because references and names are untrusted input. */
function quoted(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
