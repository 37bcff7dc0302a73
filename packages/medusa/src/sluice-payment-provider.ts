/**
 * The payment provider. A payment session in Medusa has one payment intent and one checkout session in Sluice. The gateway is the
 * authority for the state of a payment: every method reads the intent, and nothing that a browser sends is believed.
 */
import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types';
import { AbstractPaymentProvider, MedusaError, PaymentSessionStatus } from '@medusajs/framework/utils';
import { createSluice, type Sluice } from '@sluice/sdk';
import { currencyOf, decimalAmount } from './amounts.ts';
import { captureIntent } from './capture-intent.ts';
import { intentIdOf, recordedRefunds, type SluicePaymentData, withIntent } from './payment-data.ts';
import { type Intent, isBeingReturned, refundedUnits, sessionStatusOf } from './payment-state.ts';
import { attempt } from './provider-errors.ts';
import { finalityTimeoutMs, type SluiceProviderOptions, validateProviderOptions } from './provider-options.ts';
import { readWebhook, SESSION_KEY } from './read-webhook.ts';
import { refundIntent } from './refund-intent.ts';

type Data = Record<string, unknown> | undefined;

export class SluicePaymentProvider extends AbstractPaymentProvider<SluiceProviderOptions> {
  static override identifier = 'sluice';

  readonly #options: SluiceProviderOptions;
  readonly #sluice: Sluice;

  static override validateOptions(options: Record<string, unknown>): void {
    validateProviderOptions(options);
  }

  constructor(container: Record<string, unknown>, options: SluiceProviderOptions) {
    super(container, options);
    this.#options = options;
    this.#sluice = createSluice({ baseUrl: options.baseUrl, apiKey: options.apiKey });
  }

  /** Creates the payment intent and its checkout. The key is the payment session, so that a repeated call returns the same ones. */
  async initiatePayment({
    amount,
    currency_code,
    data,
    context,
  }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const sessionId = context?.idempotency_key ?? data?.session_id;
    if (typeof sessionId !== 'string') throw invalidData('A payment needs the id of its payment session.');
    return await attempt('creating the payment', () =>
      this.#open({ sessionId, key: sessionId, amount, currencyCode: currency_code }),
    );
  }

  /** Replaces the intent if the amount or the currency is another, or if it can no longer be paid. */
  async updatePayment({ amount, currency_code, data }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const id = requireId(data);
    const sessionId = typeof data?.session_id === 'string' ? data.session_id : id;
    return await attempt('updating the payment', async () => {
      const intent = await this.#sluice.paymentIntents.get(id);
      const [decimal, currency] = [decimalAmount(amount), currencyOf(currency_code)];
      const isSame = intent.amount === decimal && intent.currency === currency;
      const status = sessionStatusOf(intent);
      if (status === PaymentSessionStatus.AUTHORIZED || status === PaymentSessionStatus.CAPTURED) {
        if (isSame) return { status, data: withIntent(data, intent) };
        throw notAllowed(`Payment ${id} of ${intent.amount} ${intent.currency} is paid; its amount cannot change.`);
      }
      if (intent.status === 'CREATED') {
        if (isSame) return { status, data: withIntent(data, intent) };
        await this.#sluice.paymentIntents.cancel(id);
      }
      // Named after what it replaces: a cart that returns to an earlier amount needs a new intent all the same.
      const key = `${sessionId}:${id}:${decimal}:${currency}`;
      return await this.#open({ sessionId, key, amount, currencyCode: currency_code });
    });
  }

  /** Returns whether the payer has paid. Medusa calls it when the storefront or a webhook completes the cart. */
  async authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    const intent = await this.#read(data);
    return { status: sessionStatusOf(intent), data: withIntent(data, intent) };
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    const intent = await this.#read(data);
    return { status: sessionStatusOf(intent), data: withIntent(data, intent) };
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.#read(data)) } };
  }

  async capturePayment({ data, context }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const request = { id: requireId(data), idempotencyKey: context?.idempotency_key };
    const intent = await attempt('capturing the payment', () => captureIntent(this.#world(), request));
    return { data: withIntent(data, intent) };
  }

  async refundPayment({ amount, data, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const refundId = context?.idempotency_key;
    if (refundId === undefined) throw invalidData('A refund needs the id of the refund as its idempotency key.');
    const request = { id: requireId(data), amount: decimalAmount(amount), refundId, recorded: recordedRefunds(data) };
    const intent = await attempt('refunding the payment', () => refundIntent(this.#world(), request));
    return { data: { ...withIntent(data, intent), refunded_units: String(refundedUnits(intent)) } };
  }

  /** Ends a payment that is not captured. What is held returns to the payer as soon as the transaction is mined. */
  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    if (intentIdOf(data) === undefined) return { data: data ?? {} };
    return { data: withIntent(data, await this.#cancel(data)) };
  }

  /** Medusa deletes a payment session when the cart changes or another one is chosen. */
  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    if (intentIdOf(data) === undefined) return { data: data ?? {} };
    return { data: withIntent(data, await this.#cancel(data)) };
  }

  async getWebhookActionAndData(payload: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    const world = { sluice: this.#sluice, secret: this.#options.webhookSecret };
    return await attempt('reading the payment of a webhook', () => readWebhook(world, payload));
  }

  async #open(request: {
    sessionId: string;
    key: string;
    amount: BigNumberInput;
    currencyCode: string;
  }): Promise<{ id: string; status: PaymentSessionStatus; data: SluicePaymentData }> {
    const { sessionId, key, amount, currencyCode } = request;
    const { captureMode, successUrl, cancelUrl, allowedChains, allowedTokens } = this.#options;
    const intent = await this.#sluice.paymentIntents.create({
      amount: decimalAmount(amount),
      currency: currencyOf(currencyCode),
      externalId: sessionId,
      idempotencyKey: key,
      metadata: { [SESSION_KEY]: sessionId },
      ...(captureMode ? { captureMode } : {}),
      ...(successUrl ? { successUrl } : {}),
      ...(cancelUrl ? { cancelUrl } : {}),
      ...(allowedChains ? { allowedChains } : {}),
      ...(allowedTokens ? { allowedTokens } : {}),
    });
    const checkout = await this.#sluice.checkoutSessions.create(
      { paymentIntentId: intent.id },
      { idempotencyKey: `${key}:checkout` },
    );
    const data: SluicePaymentData = {
      id: intent.id,
      session_id: sessionId,
      status: intent.status,
      amount: intent.amount,
      currency: intent.currency,
      checkout_session_id: checkout.id,
      checkout_url: checkout.url,
      client_secret: checkout.clientSecret,
      expires_at: intent.expiresAt,
      token_key: null,
      crypto_amount: null,
      refunded_units: '0',
    };
    return { id: intent.id, status: PaymentSessionStatus.PENDING, data };
  }

  async #read(data: Data): Promise<Intent> {
    const id = requireId(data);
    return await attempt('reading the payment', () => this.#sluice.paymentIntents.get(id));
  }

  async #cancel(data: Data): Promise<Intent> {
    const id = requireId(data);
    return await attempt('cancelling the payment', async () => {
      const intent = await this.#sluice.paymentIntents.get(id);
      const isOver = ['CANCELLED', 'FAILED', 'REFUNDED'].includes(intent.status);
      if (isOver || (intent.status === 'AUTHORIZED' && isBeingReturned(intent))) return intent;
      await this.#sluice.paymentIntents.cancel(id);
      return await this.#sluice.paymentIntents.get(id);
    });
  }

  #world() {
    return { sluice: this.#sluice, finalityTimeoutMs: finalityTimeoutMs(this.#options) };
  }
}

function requireId(data: Data): string {
  const id = intentIdOf(data);
  if (id === undefined) throw invalidData('The payment has no Sluice payment intent.');
  return id;
}

function invalidData(message: string): MedusaError {
  return new MedusaError(MedusaError.Types.INVALID_DATA, message);
}

function notAllowed(message: string): MedusaError {
  return new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
}
