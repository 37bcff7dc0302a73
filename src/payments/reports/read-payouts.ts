/** The report `payouts`: one row per transfer out of escrow, or directly to the merchant, in the order of booking. */
import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { isReceipt } from '../ledger.ts';
import { type ReportedEntry, readEntries } from './read-entries.ts';
import type { ReportRequest, Row } from './report.ts';
import { wholeTokens } from './token-amount.ts';

const MS = 1000;

/** Yields pages of `payouts`. */
export async function* readPayouts(
  world: { database: Database; registry: Registry },
  request: ReportRequest,
): AsyncGenerator<Row[]> {
  for await (const page of readEntries(world, request)) {
    yield page.map((entry) => payoutRow(world, entry)).filter((row) => row !== null);
  }
}

function payoutRow({ registry }: { registry: Registry }, entry: ReportedEntry): Row | null {
  const recipient = recipientOf(entry);
  if (!recipient) return null;
  const { tokenKey } = entry;
  const units = toBigInt(entry.amount);
  return {
    entry_id: entry.id,
    booked_at: entry.bookedAt.toISOString(),
    block_time: blockTime(entry),
    payment_intent_id: entry.paymentIntentId,
    chain_id: entry.chainId,
    token_key: tokenKey,
    type: entry.kind,
    recipient_role: recipient.role,
    recipient_address: recipient.address,
    amount_tokens: wholeTokens(registry, { tokenKey, units }),
    amount_base_units: String(units),
    tx_hash: entry.txHash,
  };
}

/** Null for entries that are not transfers out of escrow. */
function recipientOf(entry: ReportedEntry): { role: string; address: string | null } | null {
  if (entry.account === 'PAYER' && isReceipt(entry.kind)) return null;
  if (/^(REVERSE_)?AUTHORIZE/.test(entry.kind)) return null;
  if (entry.account === 'PAYER') return { role: 'PAYER', address: entry.payer };
  if (entry.account === 'MERCHANT') return { role: 'MERCHANT', address: entry.merchant };
  return entry.account === 'FEE' ? { role: 'FEE_RECIPIENT', address: entry.feeRecipient } : null;
}

export function blockTime({ blockTimestamp }: Pick<ReportedEntry, 'blockTimestamp'>): string | null {
  return blockTimestamp === null ? null : new Date(Number(blockTimestamp) * MS).toISOString();
}
