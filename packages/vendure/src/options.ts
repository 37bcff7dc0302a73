import type { Order, RequestContext } from '@vendure/core';

export type SluicePluginOptions = {
  /** The URL of the Sluice installation, such as `https://pay.example.com`. */
  baseUrl: string;
  /** A secret key (`sk_…`) of the app. Keep it in the environment. */
  apiKey: string;
  /** The secret of the webhook endpoint (`whsec_…`), or several while you rotate it. */
  webhookSecret: string | readonly string[];
  /** The page of the storefront to which the payer returns after the payment. */
  successUrl?: PageOfOrder;
  /** The page of the storefront to which the payer returns without a payment. */
  cancelUrl?: PageOfOrder;
};

export type PageOfOrder = (order: Order, ctx: RequestContext) => string | Promise<string>;

/** The injection token of the plugin's options. */
export const SLUICE_OPTIONS = Symbol('SLUICE_OPTIONS');

/** The context of the plugin's log entries. */
export const LOG_CONTEXT = 'Sluice';

/** The code of the payment method handler. */
export const HANDLER_CODE = 'sluice';

/** The path of the webhook controller. */
export const WEBHOOK_PATH = 'payments/sluice';
