/** A resource server: its routes require payments, and an installation of Sluice quotes, verifies and settles them. */
import { openGateway } from './gateway/gateway-client.ts';
import { cacheRequirements } from './gateway/requirements-cache.ts';
import { type Charge, type ChargeRequest, type ChargeWorld, chargeCall } from './server/charge.ts';
import { type ExpressMiddleware, expressMiddleware } from './server/express-middleware.ts';
import { type FetchMiddleware, fetchMiddleware } from './server/fetch-middleware.ts';
import { type HonoMiddleware, honoMiddleware } from './server/hono-middleware.ts';
import type { PaidCall } from './server/paid-call.ts';
import { type PayOptions, requirePrice, requireX402Options, type X402Options } from './server/pay-options.ts';
import { openClaims } from './server/payment-claims.ts';

export type PaidRoute = {
  /** Middleware of Express 4 and 5, put before the handler of the route. */
  express: ExpressMiddleware;
  /** Middleware of Hono, put before the handler of the route. */
  hono: HonoMiddleware;
  /** Wraps a handler that takes a Fetch request and returns a response. */
  fetch: FetchMiddleware;
  /** For other frameworks: evaluates one call. */
  charge(call: PaidCall, about?: Pick<ChargeRequest, 'payment' | 'extensions'>): Promise<Charge>;
  options: PayOptions;
};

export type X402 = {
  /** Throws a TypeError for a price that is not a positive decimal string. */
  pay(options: PayOptions): PaidRoute;
};

const TEN_MEBIBYTES = 10_485_760;

/** Makes no call. Throws a TypeError for options that cannot be right. */
export function createX402(options: X402Options): X402 {
  requireX402Options(options);
  const gateway = openGateway({
    apiUrl: options.apiUrl.replace(/\/+$/, ''),
    secretKey: options.secretKey,
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    timeoutMs: options.timeoutMs ?? 10_000,
    settleTimeoutMs: options.settleTimeoutMs ?? 60_000,
  });
  const world: ChargeWorld = {
    gateway,
    requirements: cacheRequirements(gateway, { publicUrl: options.publicUrl }),
    claims: openClaims(),
    urls: { publicUrl: options.publicUrl, trustProxy: options.trustProxy },
    onError: options.onError ?? ((error) => console.error(error)),
  };
  return {
    pay: (payOptions) => {
      if (typeof payOptions.price !== 'function') requirePrice(payOptions.price);
      const charge: PaidRoute['charge'] = (call, about) => chargeCall(world, { call, options: payOptions, ...about });
      const charging = {
        charge: (call: PaidCall) => charge(call),
        largestHeldBytes: options.largestHeldBytes ?? TEN_MEBIBYTES,
      };
      return {
        express: expressMiddleware(charging),
        hono: honoMiddleware(charging),
        fetch: fetchMiddleware(charging),
        charge,
        options: payOptions,
      };
    },
  };
}
