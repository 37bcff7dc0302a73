import { ErrorResult } from '@vendure/core';

export type CheckoutFault =
  | 'CURRENCY_NOT_SUPPORTED'
  | 'GATEWAY_UNAVAILABLE'
  | 'METHOD_NOT_AVAILABLE'
  | 'NOTHING_TO_PAY'
  | 'ORDER_NOT_READY'
  | 'PAYMENT_UNDER_WAY';

/** Why a checkout was not started, as the shop API returns it. */
export class CheckoutError extends ErrorResult {
  override readonly __typename = 'SluiceCheckoutError';
  override readonly errorCode = 'SLUICE_CHECKOUT_ERROR';

  constructor(
    readonly reason: CheckoutFault,
    override readonly message: string,
  ) {
    super();
  }
}
