import { depositAddress } from '../../escrow/deposits/deposit-address.ts';
import { termsHash } from '../../escrow/terms.ts';
import { transferUrl } from '../../payments/deposits/transfer-fields.ts';
import { printUnits } from '../../prices/quote.ts';
import type { PlannedPayment } from '../authorization-plan.ts';
import type { PaymentStep } from '../payment-step.ts';

type TransferStep = Extract<PaymentStep, { kind: 'transfer' }>;

/** The step of a plain transfer: the amount, the address, the deadline, and the refund address for excess money. */
export function transferStep({
  chainId,
  escrow,
  terms,
  token,
  expiresAt,
}: PlannedPayment & { expiresAt: Date }): TransferStep {
  const address = depositAddress({ escrow, id: termsHash(terms) });
  const printed = `${printUnits(terms.amount, token.decimals)} ${token.symbol}`;
  const disputes =
    terms.disputeWindow > 0 ? `, and only whoever holds the key of ${terms.payer} can dispute the payment` : '';
  return {
    kind: 'transfer',
    chainId,
    address,
    tokenKey: token.key,
    amount: terms.amount.toString(),
    refundAddress: terms.payer,
    expiresAt: expiresAt.toISOString(),
    paymentUrl: transferUrl({ chainId, address, token: terms.token, amount: terms.amount }),
    description:
      `Send exactly ${printed} on this chain to ${address} by ${expiresAt.toISOString()}, from any wallet or exchange. ` +
      `What is sent too late, too much, too little or in another token goes back to ${terms.payer}${disputes}.`,
  };
}
