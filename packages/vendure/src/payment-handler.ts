import {
  ConfigService,
  type Injector,
  LanguageCode,
  Logger,
  type Order,
  PaymentMethodHandler,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core';
import { SluiceGateway } from './gateway.ts';
import { DEFAULT_PRECISION, minorUnitsOf, refundUnits } from './money.ts';
import { HANDLER_CODE, LOG_CONTEXT } from './options.ts';
import { findPayment, lockOrder, requireUnchanged } from './order-lock.ts';
import {
  isCaptured,
  isRefundable,
  isReleased,
  orderReferenceOf,
  type PaymentIntent,
  payableState,
  paymentMetadata,
} from './payment-state.ts';

type World = { gateway: SluiceGateway; connection: TransactionalConnection; config: ConfigService };

let world: World | undefined;

function open(): World {
  if (!world) throw new Error('SluicePlugin is not in the plugins of the Vendure configuration.');
  return world;
}

/**
 * Payments made through a Sluice installation. The gateway is read anew for each decision, and the state of a Vendure payment
 * follows what the chain has confirmed: a capture, the release of a hold and a refund are requested here, and recorded when the
 * gateway's webhook reports them.
 */
export const sluicePaymentHandler = new PaymentMethodHandler({
  code: HANDLER_CODE,
  description: [
    { languageCode: LanguageCode.en, value: 'Crypto payments by Sluice' },
    { languageCode: LanguageCode.de, value: 'Krypto-Zahlungen mit Sluice' },
  ],
  args: {
    captureMode: {
      type: 'string',
      defaultValue: 'AUTOMATIC',
      label: [
        { languageCode: LanguageCode.en, value: 'Capture' },
        { languageCode: LanguageCode.de, value: 'Einzug' },
      ],
      description: [
        {
          languageCode: LanguageCode.en,
          value: 'Manual: the escrow holds the payment until you settle it in the order.',
        },
        {
          languageCode: LanguageCode.de,
          value: 'Manuell: Der Treuhandvertrag hält die Zahlung, bis Sie sie in der Bestellung einziehen.',
        },
      ],
      ui: {
        component: 'select-form-input',
        options: [
          { value: 'AUTOMATIC', label: [{ languageCode: LanguageCode.en, value: 'Automatic' }] },
          { value: 'MANUAL', label: [{ languageCode: LanguageCode.en, value: 'Manual' }] },
        ],
      },
    },
  },

  init(injector: Injector) {
    world = {
      gateway: injector.get(SluiceGateway),
      connection: injector.get(TransactionalConnection),
      config: injector.get(ConfigService),
    };
  },

  /**
   * Records a payment intent that has been paid, for the webhook and for a storefront that calls `addPaymentToOrder` when the
   * payer returns. Only the ID is taken from the caller. Throws, and records nothing, unless the intent is paid, belongs to this
   * order and has not been recorded yet.
   */
  async createPayment(ctx, order, _amount, _args, metadata) {
    const { gateway, connection } = open();
    const paymentIntentId: unknown = metadata.paymentIntentId;
    if (typeof paymentIntentId !== 'string') {
      throw new UserInputError('The metadata of the payment must contain its paymentIntentId.');
    }
    const locked = await lockOrder(ctx, connection, { id: order.id });
    const recorded = await findPayment(ctx, connection, { orderId: order.id, paymentIntentId });
    if (recorded || locked?.state !== order.state) {
      throw new UserInputError('The payment has been recorded in the meantime. Read the order again.');
    }
    const intent = await gateway.findIntent(paymentIntentId);
    const reference = intent && orderReferenceOf(intent);
    if (!intent || reference?.orderCode !== order.code || intent.currency !== order.currencyCode) {
      throw new UserInputError('The order has no such payment intent.');
    }
    const state = payableState(intent.status);
    if (!state) throw new UserInputError(`The payment intent is ${intent.status}. It does not pay the order.`);
    return {
      amount: amountOf(intent),
      state,
      transactionId: intent.id,
      metadata: paymentMetadata(intent),
    };
  },

  /** Requests the capture. The payment becomes Settled when the capture is confirmed. */
  async settlePayment(ctx, order, payment) {
    const { gateway, connection } = open();
    await requireUnchanged(ctx, connection, payment, order);
    const intent = await gateway.getIntent(payment.transactionId);
    if (isCaptured(intent.status)) return { success: true, metadata: paymentMetadata(intent) };
    const refuse = (errorMessage: string) => ({ success: false, state: 'Authorized', errorMessage }) as const;
    if (intent.status !== 'AUTHORIZED') return refuse(`The payment intent is ${intent.status}.`);
    try {
      const sluice = await gateway.client();
      const idempotencyKey = `vendure:capture:${order.code}:${payment.id}`;
      await sluice.paymentIntents.capture(intent.id, {}, { idempotencyKey });
    } catch (error) {
      return refuse(await explain(error));
    }
    return refuse('The capture was requested. The payment is settled as soon as the chain has confirmed it.');
  },

  /** Requests the release of the hold. The payment becomes Cancelled when the release is confirmed. */
  async cancelPayment(ctx, order, payment) {
    const { gateway, connection } = open();
    await requireUnchanged(ctx, connection, payment, order);
    const intent = await gateway.getIntent(payment.transactionId);
    if (isReleased(intent.status)) return { success: true };
    // Vendure leaves the payment as it is if this is the state that it has.
    const state = payment.state === 'Cancelled' ? 'Error' : payment.state;
    const refuse = (errorMessage: string) => ({ success: false, state, errorMessage }) as const;
    if (isCaptured(intent.status)) return refuse('The payment has been captured. Refund it instead.');
    try {
      await (await gateway.client()).paymentIntents.cancel(intent.id);
    } catch (error) {
      return refuse(await explain(error));
    }
    return refuse('The release was requested. The payment is cancelled as soon as the chain has confirmed it.');
  },

  /**
   * Decides how many base units a refund has. The refund stays Pending: a job requests it from the gateway once Vendure has
   * stored it, because its ID is the idempotency key.
   */
  async createRefund(_ctx, _input, amount, _order, payment) {
    const { gateway } = open();
    const intent = await gateway.getIntent(payment.transactionId);
    const fail = (errorMessage: string) => ({ state: 'Failed', metadata: { errorMessage } }) as const;
    if (!isRefundable(intent.status) || intent.cryptoAmount === null) {
      return fail(`The payment intent is ${intent.status}. The escrow holds nothing that could be refunded.`);
    }
    const baseUnits = refundUnits({ cryptoAmount: intent.cryptoAmount, amount: amountOf(intent) }, amount);
    if (baseUnits <= 0n) return fail('The refund is less than the smallest unit of the token.');
    return {
      state: 'Pending',
      transactionId: '',
      metadata: { paymentIntentId: intent.id, tokenKey: intent.cryptoTokenKey, baseUnits: String(baseUnits) },
    };
  },
});

function amountOf(intent: PaymentIntent): number {
  const { moneyStrategy } = open().config.entityOptions;
  return minorUnitsOf(intent.amount, moneyStrategy.precision ?? DEFAULT_PRECISION);
}

/** The message for the administrator. The details of a failed connection are for the log. */
async function explain(error: unknown): Promise<string> {
  const refused = await open().gateway.refusalOf(error);
  if (refused) return refused.message;
  Logger.error(`Sluice cannot be reached: ${String(error)}`, LOG_CONTEXT);
  return 'Sluice cannot be reached. Try again later.';
}

/** Whether a payment method of Vendure uses this handler. */
export function usesSluice(method: { handler: { code: string } }): boolean {
  return method.handler.code === HANDLER_CODE;
}

/** The state in which a storefront requests a checkout. */
export function isArrangingPayment(order: Pick<Order, 'state'>): boolean {
  return order.state === 'ArrangingPayment';
}
