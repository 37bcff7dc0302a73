/** The exports of `@sluice/sdk`. */
export type { SluiceOptions } from './connection.ts';
export { createSluice, type Sluice } from './create-sluice.ts';
export {
  type ErrorCode,
  type FieldFault,
  SluiceApiError,
  SluiceConnectionError,
  SluiceError,
  SluiceTimeoutError,
  SluiceUsageError,
} from './errors.ts';
export type * from './generated/types.ts';
export type { ListPromise, Page } from './lists.ts';
export type { CheckoutState, FollowOptions, Live, WatchOptions } from './live/make-live.ts';
export type { RequestOptions } from './request-options.ts';
export type { Call } from './send.ts';
export {
  type Webhook,
  type WebhookFault,
  type WebhookHeaders,
  type WebhookPing,
  WebhookVerificationError,
  webhooks,
} from './webhooks.ts';
