import { Inject, Injectable } from '@nestjs/common';
import {
  ActiveOrderService,
  ConfigService,
  Logger,
  Order,
  OrderService,
  type PaymentMethod,
  PaymentMethodService,
  type RequestContext,
  TransactionalConnection,
  totalCoveredByPayments,
} from '@vendure/core';
import { CheckoutError } from './checkout-error.ts';
import { SluiceGateway } from './gateway.ts';
import { currencies, DEFAULT_PRECISION, decimalOf } from './money.ts';
import { LOG_CONTEXT, SLUICE_OPTIONS, type SluicePluginOptions } from './options.ts';
import { lockOrder } from './order-lock.ts';
import { isArrangingPayment, usesSluice } from './payment-handler.ts';
import { isReleased, metadataOf, type PaymentIntent } from './payment-state.ts';
import { SluiceQueue } from './queue.ts';

export type SluiceCheckout = {
  __typename: 'SluiceCheckout';
  paymentIntentId: string;
  sessionId: string;
  url: string;
  clientSecret: string;
  amount: number;
  currencyCode: string;
  expiresAt: Date;
};

type Payable = { order: Order; method: PaymentMethod; outstanding: number; amount: string };

/** A payer needs this long to pay. An intent that expires earlier is replaced. */
const SHORTEST_TIME_MS = 2 * 60_000;
/** Intents of one order and amount that have ended, each one found by the one before it. */
const MAX_INTENTS = 10;
const LONGEST_SESSION_MINUTES = 1440;

/** Starts the checkout of the active order. */
@Injectable()
export class SluiceCheckoutService {
  constructor(
    private readonly gateway: SluiceGateway,
    private readonly connection: TransactionalConnection,
    private readonly activeOrders: ActiveOrderService,
    private readonly orders: OrderService,
    private readonly methods: PaymentMethodService,
    private readonly config: ConfigService,
    private readonly queue: SluiceQueue,
    @Inject(SLUICE_OPTIONS) private readonly options: SluicePluginOptions,
  ) {}

  /**
   * Returns the checkout of the outstanding amount. Repeated calls return the same payment intent as long as it can be paid. If
   * the amount has changed, the previous intent is cancelled first, so that an old page cannot be paid beside a new one.
   */
  async start(ctx: RequestContext, paymentMethodCode?: string | null): Promise<SluiceCheckout | CheckoutError> {
    try {
      const payable = await this.requirePayable(ctx, paymentMethodCode);
      return await this.findOrCreate(ctx, payable);
    } catch (error) {
      if (error instanceof CheckoutError) return error;
      if (!(await this.isOfGateway(error))) throw error;
      Logger.error(`The checkout could not be created: ${String(error)}`, LOG_CONTEXT);
      return new CheckoutError('GATEWAY_UNAVAILABLE', 'The payment cannot be started at the moment. Try again later.');
    }
  }

  private async requirePayable(ctx: RequestContext, paymentMethodCode?: string | null): Promise<Payable> {
    const active = await this.activeOrders.getActiveOrder(ctx, undefined);
    if (!active) throw new CheckoutError('ORDER_NOT_READY', 'There is no active order.');
    // The intents of an order are created one after another.
    await lockOrder(ctx, this.connection, { id: active.id });
    const order = await this.orders.findOne(ctx, active.id);
    if (!order?.active || !isArrangingPayment(order)) {
      throw new CheckoutError('ORDER_NOT_READY', 'The order is not in the state ArrangingPayment.');
    }
    if (!currencies.includes(order.currencyCode)) {
      throw new CheckoutError('CURRENCY_NOT_SUPPORTED', `Payments are in ${currencies.join(' or ')}.`);
    }
    order.payments = await this.orders.getOrderPayments(ctx, order.id);
    const outstanding = order.totalWithTax - totalCoveredByPayments(order);
    if (outstanding <= 0) throw new CheckoutError('NOTHING_TO_PAY', 'Nothing of the order remains to be paid.');
    const precision = this.config.entityOptions.moneyStrategy.precision ?? DEFAULT_PRECISION;
    return {
      order,
      outstanding,
      method: await this.requireMethod(ctx, order, paymentMethodCode),
      amount: decimalOf(outstanding, precision),
    };
  }

  /** An eligible payment method of the channel that uses the handler: the named one, or the first. */
  private async requireMethod(ctx: RequestContext, order: Order, code?: string | null): Promise<PaymentMethod> {
    const ours = (await this.methods.getActivePaymentMethods(ctx)).filter(usesSluice);
    const eligible = (await this.methods.getEligiblePaymentMethods(ctx, order)).filter((one) => one.isEligible);
    const found = ours.find((one) => (code ?? one.code) === one.code && eligible.some((two) => two.code === one.code));
    if (found) return found;
    throw new CheckoutError('METHOD_NOT_AVAILABLE', 'The order cannot be paid by this payment method.');
  }

  private async findOrCreate(ctx: RequestContext, payable: Payable): Promise<SluiceCheckout> {
    const { order, amount } = payable;
    let previous = order.customFields.sluicePaymentIntentId ?? null;
    for (let step = 0; step < MAX_INTENTS; step += 1) {
      const intent = previous === null ? null : await this.gateway.findIntent(previous);
      if (intent && (await this.isOpen(intent, payable))) {
        const checkout = await this.openSession(intent, payable);
        if (checkout) {
          await this.connection
            .getRepository(ctx, Order)
            .update(order.id, { customFields: { sluicePaymentIntentId: intent.id } });
          return checkout;
        }
        await this.cancel(intent);
      }
      const sluice = await this.gateway.client();
      const created = await sluice.paymentIntents.create({
        ...(await this.describe(ctx, payable)),
        // Of the order and the amount. The previous intent makes it a new key once that one has ended.
        idempotencyKey: `vendure:${order.code}:${order.currencyCode}:${amount}:${previous ?? 'first'}`,
      });
      previous = created.id;
    }
    throw new CheckoutError('GATEWAY_UNAVAILABLE', 'The payment cannot be started at the moment. Try again later.');
  }

  /** Whether the intent can be paid and is of the right amount. Cancels it if it is of another amount or about to expire. */
  private async isOpen(intent: PaymentIntent, { order, amount, method }: Payable): Promise<boolean> {
    if (isReleased(intent.status) || intent.status === 'REFUNDED') return false;
    if (intent.status !== 'CREATED') {
      // A payment that is already recorded leaves the outstanding amount to another one.
      if (order.payments.some(({ transactionId }) => transactionId === intent.id)) return false;
      await this.queue.add({ paymentIntentId: intent.id });
      throw new CheckoutError('PAYMENT_UNDER_WAY', 'The order has been paid. The payment is being recorded.');
    }
    const isLasting = intent.expiresAt === null || Date.parse(intent.expiresAt) - Date.now() > SHORTEST_TIME_MS;
    const isSame = intent.amount === amount && intent.currency === order.currencyCode;
    if (isLasting && isSame && intent.metadata.vendurePaymentMethod === method.code) return true;
    await this.cancel(intent);
    return false;
  }

  private async cancel(intent: PaymentIntent): Promise<void> {
    try {
      await (await this.gateway.client()).paymentIntents.cancel(intent.id);
    } catch (error) {
      if ((await this.gateway.refusalOf(error))?.code !== 'INVALID_STATE') throw error;
      if (isReleased((await this.gateway.getIntent(intent.id)).status)) return;
      throw new CheckoutError('PAYMENT_UNDER_WAY', 'A payment of the order is being confirmed by its chain.');
    }
  }

  private async describe(ctx: RequestContext, { order, amount, method }: Payable) {
    const { successUrl, cancelUrl } = this.options;
    const captureMode = method.handler.args.find(({ name }) => name === 'captureMode')?.value;
    return {
      amount,
      currency: order.currencyCode,
      externalId: order.code,
      captureMode: captureMode?.includes('MANUAL') ? ('MANUAL' as const) : ('AUTOMATIC' as const),
      successUrl: successUrl ? await successUrl(order, ctx) : null,
      cancelUrl: cancelUrl ? await cancelUrl(order, ctx) : null,
      metadata: metadataOf({
        orderCode: order.code,
        channelToken: ctx.channel.token,
        languageCode: ctx.languageCode,
        paymentMethod: method.code,
      }),
    };
  }

  /** The session of an intent lasts as long as the intent. Null if it has ended earlier. */
  private async openSession(intent: PaymentIntent, { order, outstanding }: Payable): Promise<SluiceCheckout | null> {
    const sluice = await this.gateway.client();
    const created = await sluice.checkoutSessions.create(
      { paymentIntentId: intent.id, expiresInMinutes: minutesOf(intent) },
      { idempotencyKey: `vendure:session:${intent.id}` },
    );
    const current = await sluice.checkoutSessions.get(created.id);
    if (current.status !== 'OPEN') return null;
    return {
      __typename: 'SluiceCheckout',
      paymentIntentId: intent.id,
      sessionId: created.id,
      url: created.url,
      clientSecret: created.clientSecret,
      amount: outstanding,
      currencyCode: order.currencyCode,
      expiresAt: new Date(current.expiresAt),
    };
  }

  private async isOfGateway(error: unknown): Promise<boolean> {
    return (
      (error instanceof Error && /^Sluice\w*Error$/.test(error.name)) || (await this.gateway.refusalOf(error)) !== null
    );
  }
}

/** From the creation to the expiry, so that a repeated request has the same content. */
function minutesOf({ createdAt, expiresAt }: PaymentIntent): number {
  if (expiresAt === null) return LONGEST_SESSION_MINUTES;
  const minutes = Math.ceil((Date.parse(expiresAt) - Date.parse(createdAt)) / 60_000);
  return Math.min(Math.max(minutes, 1), LONGEST_SESSION_MINUTES);
}
