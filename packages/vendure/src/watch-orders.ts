import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  EventBus,
  Logger,
  Order,
  OrderStateTransitionEvent,
  Payment,
  PaymentMethod,
  RefundStateTransitionEvent,
  TransactionalConnection,
} from '@vendure/core';
import { LOG_CONTEXT } from './options.ts';
import { usesSluice } from './payment-handler.ts';
import { paymentIntentIdOf } from './payment-state.ts';
import { SluiceQueue } from './queue.ts';
import { SluiceSynchronizer } from './synchronizer.ts';

/** The oldest unpaid order that is checked. Its payment intents have expired long before. */
const UNPAID_ORDER_MS = 3 * 24 * 60 * 60 * 1000;
const ORDERS_LIMIT = 200;

/** Leads from what happens in Vendure to the synchronizer, and finds what no event or webhook has reported. */
@Injectable()
export class SluiceWatch implements OnApplicationBootstrap {
  constructor(
    private readonly events: EventBus,
    private readonly connection: TransactionalConnection,
    private readonly queue: SluiceQueue,
    private readonly synchronizer: SluiceSynchronizer,
  ) {
    this.queue.onWork((paymentIntentId) => this.synchronizer.synchronize(paymentIntentId));
  }

  onApplicationBootstrap(): void {
    this.events.registerBlockingEventHandler({
      id: 'sluice-refund-created',
      event: RefundStateTransitionEvent,
      handler: async ({ ctx, refund, toState }) => {
        const { paymentIntentId } = refund.metadata ?? {};
        if (toState === 'Pending' && typeof paymentIntentId === 'string')
          await this.queue.add({ paymentIntentId }, ctx);
      },
    });
    this.events.registerBlockingEventHandler({
      id: 'sluice-order-cancelled',
      event: OrderStateTransitionEvent,
      handler: async ({ ctx, order, toState }) => {
        const paymentIntentId = order.customFields.sluicePaymentIntentId;
        if (toState === 'Cancelled' && paymentIntentId) await this.queue.add({ paymentIntentId }, ctx);
      },
    });
  }

  /** Synchronizes every order that waits for the gateway, one at a time. Returns how many there were. */
  async sweep(): Promise<number> {
    const waiting = [...new Set([...(await this.unpaidOrders()), ...(await this.openPayments())])];
    for (const paymentIntentId of waiting) {
      try {
        await this.synchronizer.synchronize(paymentIntentId);
      } catch (error) {
        Logger.error(`${paymentIntentId} could not be synchronized: ${String(error)}`, LOG_CONTEXT);
      }
    }
    return waiting.length;
  }

  private async unpaidOrders(): Promise<string[]> {
    const orders = await this.connection.rawConnection
      .getRepository(Order)
      .createQueryBuilder('unpaid')
      .where('unpaid.customFields.sluicePaymentIntentId IS NOT NULL')
      .andWhere('unpaid.state IN (:...states)', { states: ['AddingItems', 'ArrangingPayment'] })
      .andWhere('unpaid.updatedAt > :since', { since: new Date(Date.now() - UNPAID_ORDER_MS) })
      .orderBy('unpaid.updatedAt', 'DESC')
      .take(ORDERS_LIMIT)
      .getMany();
    return orders.flatMap(({ customFields }) => customFields.sluicePaymentIntentId ?? []);
  }

  /** Payments that wait for a capture or a release, or have refunds that wait. */
  private async openPayments(): Promise<string[]> {
    const methods = await this.connection.rawConnection.getRepository(PaymentMethod).find();
    const codes = methods.filter(usesSluice).map(({ code }) => code);
    if (codes.length === 0) return [];
    const payments = await this.connection.rawConnection
      .getRepository(Payment)
      .createQueryBuilder('payment')
      .leftJoin('payment.refunds', 'refund')
      .where('payment.method IN (:...codes)', { codes })
      .andWhere('(payment.state = :authorized OR refund.state = :pending)', {
        authorized: 'Authorized',
        pending: 'Pending',
      })
      .orderBy('payment.id', 'DESC')
      .take(ORDERS_LIMIT)
      .getMany();
    return payments.flatMap((payment) => paymentIntentIdOf(payment) ?? []);
  }
}
