import {
  LanguageCode,
  PluginCommonModule,
  type RuntimeVendureConfig,
  ScheduledTask,
  VendurePlugin,
} from '@vendure/core';
import { SluiceCheckoutService } from './checkout.ts';
import { SluiceGateway } from './gateway.ts';
import { SLUICE_OPTIONS, type SluicePluginOptions, WEBHOOK_PATH } from './options.ts';
import { sluicePaymentHandler } from './payment-handler.ts';
import { SluiceQueue } from './queue.ts';
import { SluiceRefunds } from './refunds.ts';
import { SluiceCheckoutResultResolver, SluiceShopResolver, shopApi } from './shop-api.ts';
import { SluiceSynchronizer } from './synchronizer.ts';
import { SluiceWatch } from './watch-orders.ts';
import { readRawBody, SluiceWebhookController } from './webhook-controller.ts';

declare module '@vendure/core/dist/entity/custom-entity-fields' {
  interface CustomOrderFields {
    sluicePaymentIntentId?: string | null;
  }
}

type RefundProcess = NonNullable<RuntimeVendureConfig['paymentOptions']['refundProcess']>[number];

/** A refund is Pending until the chain has confirmed it. By default, Vendure does not accept this state from a handler. */
const pendingRefunds: RefundProcess = { transitions: { Pending: { to: ['Pending'], mergeStrategy: 'merge' } } };

/** Synchronizes what no webhook has reported, such as after a day without network. */
const sweep = new ScheduledTask({
  id: 'sluice-synchronize',
  description: 'Synchronizes orders with their payments in Sluice',
  schedule: (cron) => cron.every(10).minutes(),
  execute: async ({ injector }) => ({ synchronized: await injector.get(SluiceWatch).sweep() }),
});

/**
 * Crypto payments by a Sluice installation.
 *
 * @example
 * ```ts
 * plugins: [
 *   SluicePlugin.init({
 *     baseUrl: 'https://pay.example.com',
 *     apiKey: process.env.SLUICE_API_KEY,
 *     webhookSecret: process.env.SLUICE_WEBHOOK_SECRET,
 *     successUrl: (order) => `https://shop.example.com/orders/${order.code}`,
 *   }),
 * ],
 * ```
 */
@VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.7.3',
  controllers: [SluiceWebhookController],
  providers: [
    { provide: SLUICE_OPTIONS, useFactory: () => SluicePlugin.requireOptions() },
    SluiceGateway,
    SluiceQueue,
    SluiceRefunds,
    SluiceSynchronizer,
    SluiceCheckoutService,
    SluiceWatch,
  ],
  shopApiExtensions: { schema: shopApi, resolvers: [SluiceShopResolver, SluiceCheckoutResultResolver] },
  configuration: addToConfiguration,
})
export class SluicePlugin {
  private static options: SluicePluginOptions | undefined;

  static init(options: SluicePluginOptions): typeof SluicePlugin {
    for (const name of ['baseUrl', 'apiKey', 'webhookSecret'] as const) {
      if (!options[name]?.length) throw new Error(`SluicePlugin: the option ${name} is missing.`);
    }
    SluicePlugin.options = options;
    return SluicePlugin;
  }

  /** @internal */
  static requireOptions(): SluicePluginOptions {
    if (!SluicePlugin.options) throw new Error('SluicePlugin: add SluicePlugin.init({ … }) to the plugins.');
    return SluicePlugin.options;
  }
}

function addToConfiguration(config: RuntimeVendureConfig): RuntimeVendureConfig {
  config.paymentOptions.paymentMethodHandlers.push(sluicePaymentHandler);
  config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), pendingRefunds];
  config.schedulerOptions.tasks = [...(config.schedulerOptions.tasks ?? []), sweep];
  config.customFields.Order.push({
    name: 'sluicePaymentIntentId',
    type: 'string',
    public: false,
    readonly: true,
    nullable: true,
    label: [{ languageCode: LanguageCode.en, value: 'Sluice payment intent' }],
  });
  config.apiOptions.middleware.push({ route: `/${WEBHOOK_PATH}`, handler: readRawBody, beforeListen: true });
  return config;
}
