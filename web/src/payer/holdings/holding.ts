/**
 * What a wallet has in the escrow, from any source of this page. The contract is the authority for the state of each holding. The gateway
 * adds names and prices, which holdings known only from the contract lack.
 */
import type { Address, Hex } from 'viem';
import type { ShownContactFragment, ShownRefundFragment } from '../../../../generated/web/documents.ts';
import type { RecurringConsent } from '../../../../src/escrow/consent.ts';
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { PaymentTerms } from '../../../../src/escrow/terms.ts';

type Place = { key: string; chainId: number; escrow: Address };
type Merchant = { name: string; logoUrl: string | null };

export type HeldPayment = Place & {
  /** The payment's id in the contract. */
  id: Hex;
  terms: PaymentTerms;
  /** As reported by the gateway. Null for a payment known only from the contract. */
  reported: {
    intentId: string;
    merchant: Merchant;
    lines: readonly string[];
    fiat: { amount: string; currency: string };
    state: EscrowState;
    paidAt: string | null;
    txHash: string | null;
    /** Null if there is none, or if an earlier copy in this browser lacks it. */
    disputeId?: string | null;
    refunds: readonly ShownRefundFragment[];
    contact: ShownContactFragment;
    /** Keys of the payouts that were to go back to the wallet and could not be delivered yet. */
    payouts: readonly string[];
  } | null;
};

export type HeldConsent = Place & {
  id: Hex;
  consent: RecurringConsent;
  reported: {
    merchant: Merchant;
    planName: string;
    price: { amount: string; currency: string; interval: string | null; count: number };
    isRevoked: boolean;
    isCurrent: boolean;
    status: string;
    nextChargeAt: string | null;
    cancelAtPeriodEnd: boolean;
    /** What was used and is not billed yet, with a metered price. */
    usage?: readonly { periodStart: string; quantity: string; unitName: string; amount: string; currency: string }[];
  } | null;
};

export type HeldAllowance = { key: string; chainId: number; tokenKey: string; amount: bigint };

/** Payouts to the wallet that could not be delivered yet, as reported by the gateway. Their payments may be unknown here. */
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

/** Removes duplicates. The first one has more details and is kept. */
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
