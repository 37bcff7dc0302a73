/**
 * The ledger as a journal for plain-text accounting, from the merchant's point of view:
 *
 * | ledger      | journal                                                                     |
 * | ----------- | --------------------------------------------------------------------------- |
 * | PAYER       | `Income:Payments:<chain>:<token>`, which refunds and voids reduce           |
 * | ESCROW      | `Assets:Escrow:<chain>:<token>`                                             |
 * | MERCHANT    | `Assets:Payouts:<chain>:<token>`                                            |
 * | FEE         | `Expenses:Fees:<chain>:<token>`                                             |
 * | UNDELIVERED | `Assets:Undelivered:<chain>:<token>`                                        |
 * | gas         | `Expenses:Gas:<coin>` against `Assets:Operator:<chain>:<coin>`              |
 *
 * Each booking of the ledger is one transaction, dated by the day of its booking in UTC. The value in fiat is that of the quote which the
 * payer accepted, for every step of the payment.
 */
import { createHash } from 'node:crypto';
import { formatUnits } from 'viem';
import type { LedgerAccount } from '../../../../prisma/client.ts';
import type { Registry } from '../../../chains/registry.ts';

export type Quantity = { units: bigint; decimals: number; commodity: string };

/** A decimal string in `currency`: of one unit of the commodity, or of the whole quantity. */
export type PostingPrice = { of: 'UNIT' | 'WHOLE'; amount: string; currency: string };

export type Posting = { account: string; quantity: Quantity; price: PostingPrice | null };

export type JournalEntry = {
  /** `2026-11-27` in UTC. */
  date: string;
  description: string;
  /** Without line breaks, commas, or anything that a third party chose. */
  tags: readonly (readonly [name: string, value: string])[];
  postings: readonly Posting[];
};

/** The quantity that an account must have at the start of the day. */
export type Assertion = { date: string; account: string; quantity: Quantity };

const accounts: { [Account in LedgerAccount]: string } = {
  PAYER: 'Income:Payments',
  ESCROW: 'Assets:Escrow',
  MERCHANT: 'Assets:Payouts',
  FEE: 'Expenses:Fees',
  UNDELIVERED: 'Assets:Undelivered',
};

export const OPENING_ACCOUNT = 'Equity:Opening-Balances';

export function tokenAccount(account: LedgerAccount, { chainId, tokenKey }: { chainId: number; tokenKey: string }) {
  return `${accounts[account]}:${chainId}:${commodityOf(tokenKey)}`;
}

export function gasAccounts(chain: { chainId: number; coin: string }): { expense: string; paidFrom: string } {
  const coin = commodityOf(chain.coin);
  return { expense: `Expenses:Gas:${coin}`, paidFrom: `Assets:Operator:${chain.chainId}:${coin}` };
}

/** A quantity of a token; of one that is no longer registered, in base units. */
export function tokenQuantity(registry: Pick<Registry, 'token'>, tokenKey: string, units: bigint): Quantity {
  const token = registry.token(tokenKey);
  if (!token) return { units, decimals: 0, commodity: commodityOf(`${tokenKey}-UNITS`) };
  return { units, decimals: token.decimals, commodity: commodityOf(tokenKey) };
}

/** Names that both programs accept, for commodities and for parts of accounts. */
const plainName = /^[A-Z][A-Z0-9-]{0,22}[A-Z0-9]$/;
const NAME_LENGTH = 15;
const DIGEST_LENGTH = 6;

/** Token keys that are no such name get one that ends in a digest of the key, so that no two keys have the same name. */
export function commodityOf(key: string): string {
  if (plainName.test(key)) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, DIGEST_LENGTH).toUpperCase();
  const readable = key
    .toUpperCase()
    .replaceAll(/[^A-Z0-9-]/g, '-')
    .slice(0, NAME_LENGTH);
  return `${/^[A-Z]/.test(readable) ? '' : 'X'}${readable}-${digest}`;
}

export function printQuantity({ units, decimals }: Pick<Quantity, 'units' | 'decimals'>): string {
  return formatUnits(units, decimals);
}

/** The day in UTC. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** The first day that begins at the instant or after it. */
export function dayFrom(instant: Date): string {
  return dayOf(new Date(Math.ceil(instant.getTime() / DAY_MS) * DAY_MS));
}
