/**
 * How money leaves escrow, by chain family: through a call of the contract, or through a transfer from a vault signed with its
 * key.
 */
import type { Address } from 'viem';
import { refundCall, settleCall } from '../../escrow/calldata.ts';
import { type PayoutTransfer, payoutPlanToText, settlementOf } from '../../escrow/solana/payout-plan.ts';
import type { SolanaTerms } from '../../escrow/solana/solana-terms.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import type { OutgoingCall } from '../transactions/request-transaction.ts';
import type { HeldMoney } from './held-payment.ts';

export type PayoutOrder = { call: OutgoingCall; sender: string };

/** The sender name of a Solana chain's queue. Whichever key the worker holds pays the fees, so that the key can be changed. */
export const SOLANA_SENDER = 'solana';

/** Refunds `amount` base units to the payer. */
export function refundOrder(operator: { address: Address }, held: HeldMoney, amount: bigint): PayoutOrder {
  if (held.family === 'EVM') {
    const call = refundCall({ escrow: held.escrow, terms: held.terms, amount, expectedLeft: held.remainingAmount });
    return { call, sender: operator.address };
  }
  return vaultOrder(held.terms, [{ to: held.payer, amount, opensAccount: true }]);
}

/** Pays everything that is left to the merchant, less the fee. */
export function settleOrder(held: HeldMoney): PayoutOrder {
  if (held.family === 'EVM') return { call: settleCall(held), sender: RELAY_SENDER };
  const { merchant, feeRecipient, feeBps } = held.terms;
  const { merchantAmount, feeAmount } = settlementOf(held.remainingAmount, feeRecipient === null ? 0 : feeBps);
  const transfers = [{ to: merchant, amount: merchantAmount, opensAccount: true }];
  if (feeRecipient !== null && feeAmount > 0n) {
    transfers.push({ to: feeRecipient, amount: feeAmount, opensAccount: true });
  }
  return vaultOrder(held.terms, transfers);
}

/** Returns an unsolicited deposit to the wallet it came from. */
export function returnOrder(terms: SolanaTerms, deposit: { payer: string; amount: bigint }): PayoutOrder {
  return vaultOrder(terms, [{ to: deposit.payer, amount: deposit.amount, opensAccount: terms.stray === null }]);
}

function vaultOrder(terms: SolanaTerms, asked: readonly Omit<PayoutTransfer, 'keptAt'>[]): PayoutOrder {
  const { intentId, vault, vaultOwner, mint } = terms;
  const transfers = asked.map((transfer) => ({ ...transfer, keptAt: null }));
  const data = payoutPlanToText({ intentId, keptFor: null, vault, vaultOwner, mint, transfers });
  return { call: { to: vault, data, value: 0n }, sender: SOLANA_SENDER };
}
