/** The exports of `@sluice/vendure`. */
export type { PageOfOrder, SluicePluginOptions } from './options.ts';
export { sluicePaymentHandler } from './payment-handler.ts';
export { SluicePlugin } from './plugin.ts';
