/**
 * What a wallet has in the escrow, wherever this page knows it from. The contract is the authority for the state of each;
 * the gateway adds names and prices; what only the contract told has none.
 */
import type { Address, Hex } from 'viem';
import type { RecurringConsent } from '../../../../src/escrow/consent.ts';
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { PaymentTerms } from '../../../../src/escrow/terms.ts';

type Place = { key: string; chainId: number; escrow: Address };
type Merchant = { name: string; logoUrl: string | null };

export type HeldPayment = Place & {
  /** The payment's id in the contract. */
  id: Hex;
  terms: PaymentTerms;
  /** As the gateway told; null for a payment that only the contract told of. */
  told: {
    intentId: string;
    merchant: Merchant;
    lines: readonly string[];
    fiat: { amount: string; currency: string };
    state: EscrowState;
    paidAt: string | null;
    txHash: string | null;
    /** Keys of the payouts that were to go back to the wallet and could not be delivered yet. */
    payouts: readonly string[];
  } | null;
};

export type HeldConsent = Place & {
  id: Hex;
  consent: RecurringConsent;
  told: {
    merchant: Merchant;
    planName: string;
    price: { amount: string; currency: string; interval: string | null; count: number };
    isRevoked: boolean;
    isCurrent: boolean;
    status: string;
    nextChargeAt: string | null;
    cancelAtPeriodEnd: boolean;
  } | null;
};

export type HeldAllowance = { key: string; chainId: number; tokenKey: string; amount: bigint };

/** What was to go back to the wallet and could not be delivered yet, as the gateway told. Its payment may not be known here. */
export type HeldPayout = { key: string; chainId: number; tokenKey: string; amount: bigint; nextTryAt: string };

export type Holdings = {
  payments: readonly HeldPayment[];
  consents: readonly HeldConsent[];
  allowances: readonly HeldAllowance[];
  payouts: readonly HeldPayout[];
};

export const noHoldings: Holdings = { payments: [], consents: [], allowances: [], payouts: [] };

export function holdingKey(chainId: number, id: string): string {
  return `${chainId}:${id.toLowerCase()}`;
}

/** One of each; what comes first tells more and wins. */
export function mergeHoldings(...sources: readonly Holdings[]): Holdings {
  return {
    payments: firstOfEach(sources.map(({ payments }) => payments)),
    consents: firstOfEach(sources.map(({ consents }) => consents)),
    allowances: firstOfEach(sources.map(({ allowances }) => allowances)),
    payouts: firstOfEach(sources.map(({ payouts }) => payouts)),
  };
}

function firstOfEach<Held extends { key: string }>(lists: readonly (readonly Held[])[]): Held[] {
  const found = new Map<string, Held>();
  for (const held of lists.flat()) if (!found.has(held.key)) found.set(held.key, held);
  return [...found.values()];
}
