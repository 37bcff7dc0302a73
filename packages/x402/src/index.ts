/** The exports of `@sluice/x402`. */
export { createX402, type PaidRoute, type X402 } from './create-x402.ts';
export { X402GatewayError } from './gateway/gateway-error.ts';
export type { Answer } from './server/answer.ts';
export type { Charge, Receipt, Settled, Settling } from './server/charge.ts';
export type { ExpressMiddleware } from './server/express-middleware.ts';
export type { FetchHandler, FetchMiddleware } from './server/fetch-middleware.ts';
export type { HonoMiddleware } from './server/hono-middleware.ts';
export type { PaidCall } from './server/paid-call.ts';
export type { Discovery, PayOptions, Price, UnservedPayment, X402Options } from './server/pay-options.ts';
