import { Args, Mutation, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, Permission, RequestContext, Transaction } from '@vendure/core';
import { parse } from 'graphql';
import { type SluiceCheckout, SluiceCheckoutService } from './checkout.ts';
import type { CheckoutError } from './checkout-error.ts';

export const shopApi = parse(`
  """A checkout of the active order, on the hosted page or inside the storefront's own page."""
  type SluiceCheckout {
    paymentIntentId: ID!
    "The checkout session, for @sluice/checkout."
    sessionId: ID!
    "The address of the hosted page. It contains the client secret."
    url: String!
    "The secret of this session. It can pay this session and nothing else."
    clientSecret: String!
    "The outstanding amount of the order."
    amount: Money!
    currencyCode: CurrencyCode!
    "The time after which a new checkout must be created."
    expiresAt: DateTime!
  }

  enum SluiceCheckoutFault {
    "The currency of the order is not USD or EUR."
    CURRENCY_NOT_SUPPORTED
    "Sluice cannot be reached. Try again later."
    GATEWAY_UNAVAILABLE
    "No payment method of the channel that uses Sluice is eligible for the order."
    METHOD_NOT_AVAILABLE
    "The payments of the order cover its total."
    NOTHING_TO_PAY
    "There is no active order, or it is not in the state ArrangingPayment."
    ORDER_NOT_READY
    "The order has been paid, and the payment is being confirmed or recorded. Read the order again."
    PAYMENT_UNDER_WAY
  }

  type SluiceCheckoutError implements ErrorResult {
    errorCode: ErrorCode!
    message: String!
    reason: SluiceCheckoutFault!
  }

  union CreateSluiceCheckoutResult = SluiceCheckout | SluiceCheckoutError

  extend type Mutation {
    """
    Creates the payment intent for the outstanding amount of the active order, or returns the existing one while it can be
    paid. The order must be in the state ArrangingPayment. Without a code, the first eligible payment method is used.
    """
    createSluiceCheckout(paymentMethodCode: String): CreateSluiceCheckoutResult!
  }
`);

@Resolver()
export class SluiceShopResolver {
  constructor(private readonly checkout: SluiceCheckoutService) {}

  @Mutation()
  @Transaction()
  @Allow(Permission.Owner)
  createSluiceCheckout(@Ctx() ctx: RequestContext, @Args() args: { paymentMethodCode?: string | null }) {
    return this.checkout.start(ctx, args.paymentMethodCode);
  }
}

@Resolver('CreateSluiceCheckoutResult')
export class SluiceCheckoutResultResolver {
  @ResolveField()
  __resolveType(result: SluiceCheckout | CheckoutError): string {
    return result.__typename;
  }
}
