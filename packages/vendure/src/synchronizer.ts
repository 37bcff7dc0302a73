import { Injectable } from '@nestjs/common';
import {
  isGraphQlErrorResult,
  type LanguageCode,
  Logger,
  Order,
  OrderService,
  type Payment,
  type RequestContext,
  RequestContextService,
  TransactionalConnection,
} from '@vendure/core';
import { SluiceGateway } from './gateway.ts';
import { LOG_CONTEXT } from './options.ts';
import { findPayment, lockOrder } from './order-lock.ts';
import {
  isCaptured,
  isReleased,
  type OrderReference,
  orderReferenceOf,
  type PaymentIntent,
  payableState,
} from './payment-state.ts';
import { SluiceRefunds } from './refunds.ts';

/** States in which nothing of an order has been paid yet. */
const UNPAID = ['AddingItems', 'ArrangingPayment'];
const MAX_ADDITIONS = 2;

/**
 * Updates an order to the current state of its payment intent. Webhooks, jobs and the scheduled task all come here, and none of them
 * is believed: the intent is read from the gateway while the order is locked. Doing it again changes nothing.
 */
@Injectable()
export class SluiceSynchronizer {
  constructor(
    private readonly gateway: SluiceGateway,
    private readonly connection: TransactionalConnection,
    private readonly contexts: RequestContextService,
    private readonly orders: OrderService,
    private readonly refunds: SluiceRefunds,
  ) {}

  /** Throws if the gateway cannot be reached or Vendure refuses a transition, so that the caller tries again later. */
  async synchronize(paymentIntentId: string): Promise<void> {
    const intent = await this.gateway.findIntent(paymentIntentId);
    const reference = intent && orderReferenceOf(intent);
    if (!reference) return;
    const ctx = await this.openContext(reference);
    if (!ctx) return;
    const paymentId = await this.connection.withTransaction(ctx, async (tx) => {
      const order = await lockOrder(tx, this.connection, { code: reference.orderCode });
      if (!order) {
        Logger.warn(
          `${paymentIntentId} belongs to the order ${reference.orderCode}, which does not exist.`,
          LOG_CONTEXT,
        );
        return null;
      }
      const current = await this.gateway.getIntent(paymentIntentId);
      await this.bringUp(tx, { order, intent: current, reference });
      return (await findPayment(tx, this.connection, { orderId: order.id, paymentIntentId }))?.id ?? null;
    });
    if (paymentId !== null) await this.refunds.bringUp(ctx, paymentId);
  }

  /** Null for a channel of another Vendure server that uses the same app. */
  private async openContext(reference: OrderReference): Promise<RequestContext | null> {
    try {
      return await this.contexts.create({
        apiType: 'admin',
        channelOrToken: reference.channelToken,
        languageCode: reference.languageCode as LanguageCode,
      });
    } catch (error) {
      Logger.warn(`The channel of the order ${reference.orderCode} was not found: ${String(error)}`, LOG_CONTEXT);
      return null;
    }
  }

  private async bringUp(
    ctx: RequestContext,
    { order, intent, reference }: { order: Order; intent: PaymentIntent; reference: OrderReference },
  ): Promise<void> {
    const payment = await findPayment(ctx, this.connection, { orderId: order.id, paymentIntentId: intent.id });
    if (payment) return await this.follow(ctx, { order, intent, payment });
    if (payableState(intent.status)) return await this.addPayment(ctx, { order, intent, reference });
    if (order.state === 'Cancelled' && intent.status === 'CREATED') await this.withdraw(intent.id);
  }

  /** Changes a recorded payment as the intent has changed. */
  private async follow(
    ctx: RequestContext,
    { order, intent, payment }: { order: Order; intent: PaymentIntent; payment: Payment },
  ): Promise<void> {
    if (payment.state === 'Authorized') {
      const settles = isCaptured(intent.status);
      if (!settles && !isReleased(intent.status)) return;
      const result = settles
        ? await this.orders.settlePayment(ctx, payment.id)
        : await this.orders.cancelPayment(ctx, payment.id);
      if (isGraphQlErrorResult(result)) throw new Error(`The payment of ${order.code}: ${result.message}`);
    } else if (payment.state === 'Settled' && !isCaptured(intent.status)) {
      Logger.error(
        `The payment of ${order.code} is settled, but ${intent.id} is ${intent.status} after a reorganization of the chain.`,
        LOG_CONTEXT,
      );
    }
  }

  private async addPayment(
    ctx: RequestContext,
    { order, intent, reference }: { order: Order; intent: PaymentIntent; reference: OrderReference },
  ): Promise<void> {
    if (order.state === 'AddingItems') {
      const moved = await this.orders.transitionToState(ctx, order.id, 'ArrangingPayment');
      if (isGraphQlErrorResult(moved)) {
        throw new Error(`${order.code} is paid by ${intent.id}, but cannot be placed: ${moved.transitionError}`);
      }
    }
    const input = { method: reference.paymentMethod, metadata: { paymentIntentId: intent.id } };
    // If Vendure removes a coupon that is no longer valid, it refuses once and has recalculated the order then.
    for (let step = 0; step < MAX_ADDITIONS; step += 1) {
      const result = await this.orders.addPaymentToOrder(ctx, order.id, input);
      if (!isGraphQlErrorResult(result)) {
        if (!UNPAID.includes(result.state)) return;
        Logger.warn(
          `${order.code} has changed since the checkout: ${intent.id} paid ${intent.amount} ${intent.currency}, which does not cover it.`,
          LOG_CONTEXT,
        );
        return;
      }
      if (result.__typename === 'OrderPaymentStateError') {
        Logger.error(
          `${order.code} is ${order.state} and was paid again by ${intent.id} (${intent.status}). Nothing was changed; refund or cancel it in Sluice.`,
          LOG_CONTEXT,
        );
        return;
      }
      if (result.__typename !== 'CouponRemovedDuringCheckoutError') {
        throw new Error(`${order.code} is paid by ${intent.id}, but the payment was refused: ${result.message}`);
      }
    }
    throw new Error(`${order.code} is paid by ${intent.id}, but its coupons change with each attempt to record it.`);
  }

  /** Cancels the unpaid intent of a cancelled order. An authorization that is already on its chain is reported when it is confirmed. */
  private async withdraw(paymentIntentId: string): Promise<void> {
    try {
      await (await this.gateway.client()).paymentIntents.cancel(paymentIntentId);
    } catch (error) {
      if ((await this.gateway.refusalOf(error))?.code !== 'INVALID_STATE') throw error;
    }
  }
}
