/**
 * What the status of a payment intent means for an order. The gateway's status follows the chain, and Vendure's payment follows
 * the gateway: a payment is Settled only if the capture is confirmed.
 */

import type { GetPaymentIntentResult, PaymentIntentStatus } from '@sluice/sdk' with { 'resolution-mode': 'import' };
import type { Payment } from '@vendure/core';

export type PaymentIntent = GetPaymentIntentResult;

/** The order that a payment intent belongs to, as its metadata contains it. Only the secret key can write the metadata. */
export type OrderReference = {
  orderCode: string;
  channelToken: string;
  languageCode: string;
  paymentMethod: string;
};

/** The state of a payment that is added to an order now, or null if the order is not paid. */
export function payableState(status: PaymentIntentStatus): 'Authorized' | 'Settled' | null {
  if (status === 'AUTHORIZED') return 'Authorized';
  return status === 'CAPTURED' || status === 'REFUND_PENDING' || status === 'SETTLED' ? 'Settled' : null;
}

/** Whether the capture was confirmed, including payments that were refunded afterwards. */
export function isCaptured(status: PaymentIntentStatus): boolean {
  return status === 'REFUNDED' || payableState(status) === 'Settled';
}

/** Whether the payer has, or keeps, all of the money of a payment that was never captured. */
export function isReleased(status: PaymentIntentStatus): boolean {
  return status === 'CANCELLED' || status === 'FAILED';
}

/** Whether money can be refunded, now or when a pending refund has been confirmed. */
export function isRefundable(status: PaymentIntentStatus): boolean {
  return status === 'CAPTURED' || status === 'REFUND_PENDING';
}

export function metadataOf(reference: OrderReference): Record<string, string> {
  return {
    vendureOrderCode: reference.orderCode,
    vendureChannelToken: reference.channelToken,
    vendureLanguageCode: reference.languageCode,
    vendurePaymentMethod: reference.paymentMethod,
  };
}

/** Null for payment intents of the app that no Vendure server created. */
export function orderReferenceOf({ metadata }: Pick<PaymentIntent, 'metadata'>): OrderReference | null {
  const { vendureOrderCode, vendureChannelToken, vendureLanguageCode, vendurePaymentMethod } = metadata;
  if (typeof vendureOrderCode !== 'string' || typeof vendureChannelToken !== 'string') return null;
  if (typeof vendureLanguageCode !== 'string' || typeof vendurePaymentMethod !== 'string') return null;
  return {
    orderCode: vendureOrderCode,
    channelToken: vendureChannelToken,
    languageCode: vendureLanguageCode,
    paymentMethod: vendurePaymentMethod,
  };
}

/** The metadata of a Vendure payment. Customers can read what is `public`. */
export function paymentMetadata(intent: PaymentIntent) {
  return {
    public: {
      paymentIntentId: intent.id,
      chainId: intent.authorizationChainId,
      tokenKey: intent.cryptoTokenKey,
      cryptoAmount: intent.cryptoAmount,
      cryptoTokenDecimals: intent.cryptoTokenDecimals,
      txHash: intent.authorizationTxHash,
    },
  };
}

/** The payment intent of a Vendure payment, or null if another handler made the payment. */
export function paymentIntentIdOf(payment: Pick<Payment, 'transactionId' | 'metadata'>): string | null {
  return payment.metadata?.public?.paymentIntentId === payment.transactionId ? payment.transactionId : null;
}
