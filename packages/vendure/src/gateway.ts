import { Inject, Injectable } from '@nestjs/common';
import type { Sluice } from '@sluice/sdk' with { 'resolution-mode': 'import' };
import { SLUICE_OPTIONS, type SluicePluginOptions } from './options.ts';
import type { PaymentIntent } from './payment-state.ts';

type Sdk = typeof import('@sluice/sdk', { with: { 'resolution-mode': 'import' }});
export type WebhookEvent = Awaited<ReturnType<Sluice['webhooks']['verify']>>;
export type RefusedCall = { code: string; message: string; isRetryable: boolean };

/** An order waits for a call while its row is locked, so that calls must not take long. */
const TIMEOUT_MS = 10_000;
const MAX_RETRIES = 2;

/** The client of the Sluice installation. The SDK is an ES module, which Vendure's CommonJS can import only dynamically. */
@Injectable()
export class SluiceGateway {
  private opened: Promise<{ sdk: Sdk; sluice: Sluice }> | undefined;

  constructor(@Inject(SLUICE_OPTIONS) private readonly options: SluicePluginOptions) {}

  async client(): Promise<Sluice> {
    return (await this.open()).sluice;
  }

  async getIntent(id: string): Promise<PaymentIntent> {
    return await (await this.client()).paymentIntents.get(id);
  }

  /** Null if the app has no such payment intent. */
  async findIntent(id: string): Promise<PaymentIntent | null> {
    try {
      return await this.getIntent(id);
    } catch (error) {
      const refused = await this.refusalOf(error);
      if (refused?.code === 'NOT_FOUND' || refused?.code === 'VALIDATION_ERROR') return null;
      throw error;
    }
  }

  /** What the gateway responded, or null if the error is not a response of the gateway. */
  async refusalOf(error: unknown): Promise<RefusedCall | null> {
    const { sdk } = await this.open();
    if (!(error instanceof sdk.SluiceApiError)) return null;
    return { code: error.code, message: error.message, isRetryable: error.retryable };
  }

  /** Null if the gateway did not sign the webhook. */
  async verify(webhook: { body: Uint8Array; headers: Record<string, string | string[] | undefined> }) {
    const { sdk, sluice } = await this.open();
    try {
      return await sluice.webhooks.verify({ ...webhook, secret: this.options.webhookSecret });
    } catch (error) {
      if (error instanceof sdk.WebhookVerificationError) return null;
      throw error;
    }
  }

  private open() {
    this.opened ??= import('@sluice/sdk').then((sdk) => ({
      sdk,
      sluice: sdk.createSluice({
        baseUrl: this.options.baseUrl,
        apiKey: this.options.apiKey,
        timeoutMs: TIMEOUT_MS,
        maxRetries: MAX_RETRIES,
      }),
    }));
    return this.opened;
  }
}
