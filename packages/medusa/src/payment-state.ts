/**
 * What a payment intent means to Medusa.
 *
 * | intent | payment session |
 * | --- | --- |
 * | CREATED | pending |
 * | AUTHORIZED | authorized; canceled once the hold is being returned |
 * | CAPTURED, REFUND_PENDING, SETTLED | captured; canceled once all of it is being refunded |
 * | CANCELLED, REFUNDED | canceled |
 * | FAILED | error |
 */
import { PaymentSessionStatus } from '@medusajs/framework/utils';
import type { GetPaymentIntentResult } from '@sluice/sdk';

export type Intent = GetPaymentIntentResult;
type IntentState = Pick<Intent, 'status' | 'cryptoAmount'> & { transactions: Movement[] };
type Movement = Pick<Intent['transactions'][number], 'type' | 'status' | 'amount'>;

export function sessionStatusOf(intent: IntentState): PaymentSessionStatus {
  switch (intent.status) {
    case 'CREATED':
      return PaymentSessionStatus.PENDING;
    case 'AUTHORIZED':
      return isBeingReturned(intent) ? PaymentSessionStatus.CANCELED : PaymentSessionStatus.AUTHORIZED;
    case 'CAPTURED':
    case 'REFUND_PENDING':
    case 'SETTLED':
      return isWhollyRefunded(intent) ? PaymentSessionStatus.CANCELED : PaymentSessionStatus.CAPTURED;
    case 'CANCELLED':
    case 'REFUNDED':
      return PaymentSessionStatus.CANCELED;
    case 'FAILED':
      return PaymentSessionStatus.ERROR;
    default:
      // A status of a newer gateway, which this version treats as unpaid.
      return PaymentSessionStatus.PENDING;
  }
}

/** A payment that was captured at any time, and not returned as a whole since. */
export function isCaptured(intent: IntentState): boolean {
  return sessionStatusOf(intent) === PaymentSessionStatus.CAPTURED;
}

/** Whether the payer's hold was released. The intent stays AUTHORIZED until the transaction is final. */
export function isBeingReturned({ transactions }: IntentState): boolean {
  return transactions.some(({ type, status }) => (type === 'VOID' || type === 'RECLAIM') && status !== 'FAILED');
}

/** Base units of all refunds that were requested and did not fail. */
export function refundedUnits({ transactions }: IntentState): bigint {
  return sum(transactions.filter(({ type, status }) => type === 'REFUND' && status !== 'FAILED'));
}

function isWhollyRefunded(intent: IntentState): boolean {
  const captures = intent.transactions.filter(({ type, status }) => type === 'CAPTURE' && status === 'CONFIRMED');
  const captured = captures.length > 0 ? sum(captures) : BigInt(intent.cryptoAmount ?? '0');
  return captured > 0n && refundedUnits(intent) >= captured;
}

function sum(movements: Movement[]): bigint {
  return movements.reduce((total, { amount }) => total + BigInt(amount ?? '0'), 0n);
}
