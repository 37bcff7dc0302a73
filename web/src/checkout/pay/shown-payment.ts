/** What the screen shows, which `check-steps.ts` compares with the requests to the wallet. */
import { Decimal } from 'decimal.js';
import { getAddress, zeroAddress } from 'viem';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { Mismatch, type Shown } from './check-steps.ts';

/** Throws Mismatch if this installation does not know the chain or token as shown, or if there is no payee on it. */
export function shownPayment(
  view: CheckoutViewFragment,
  way: { chainId: number; tokenKey: string; decimals: number },
  wallet: { address: string; now: number },
): Shown {
  const chain = chainOf(way.chainId);
  const token = tokenOf(way.tokenKey);
  const payee = view.payees.find(({ family }) => family === 'EVM');
  if (!chain?.escrow || !token || token.chainId !== way.chainId) throw new Mismatch('chain');
  if (token.decimals !== way.decimals) throw new Mismatch('decimals');
  if (!payee) throw new Mismatch('payee');
  const { session, payment, subscription } = view;
  const interval = subscription?.billingInterval;
  return {
    chainId: chain.chainId,
    escrow: getAddress(chain.escrow),
    token: {
      address: token.address === 'native' ? zeroAddress : getAddress(token.address),
      permit: token.permit,
      receive: token.receive,
    },
    payer: getAddress(wallet.address),
    payee: getAddress(payee.address),
    amount: session.amount,
    currency: session.currency,
    disputeSeconds: view.disputeSeconds,
    payment:
      payment && session.paymentIntentId
        ? {
            id: session.paymentIntentId,
            timelockSeconds: payment.timelockSeconds,
            isCapturedAtOnce: payment.captureMode === 'AUTOMATIC',
          }
        : null,
    subscription:
      session.mode === 'SUBSCRIPTION' && subscription && interval
        ? {
            id: subscription.id,
            interval,
            count: subscription.billingIntervalCount,
            capAmount: subscription.metering && largerOf(subscription.metering.capAmount, session.coupon?.laterAmount),
          }
        : null,
    now: Math.floor(wallet.now / 1000),
  };
}

/** The cap is at least the base fee with tax, as it is without the coupon. */
function largerOf(capAmount: string, laterAmount: string | null | undefined): string {
  return laterAmount ? Decimal.max(capAmount, laterAmount).toFixed(2) : capAmount;
}
