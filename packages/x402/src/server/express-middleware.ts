/**
 * Express 4 and 5: `app.get('/weather', paid.express, handler)`. The types are structural, so that the package needs no Express of its own.
 * With `settle: 'after'`, what the handler writes is held back until the payment has settled.
 */
import { type Answer, badAddress, privateCacheControl, tooLarge } from './answer.ts';
import type { Charge, Settled } from './charge.ts';
import { type HeldResponse, holdResponse } from './hold-response.ts';
import type { PaidCall } from './paid-call.ts';

export type ExpressRequest = {
  method: string;
  originalUrl: string;
  protocol: string;
  hostname?: string;
  baseUrl: string;
  headers: Record<string, string | string[] | undefined>;
};

export type ExpressResponse = HeldResponse & {
  once(event: 'finish' | 'close', listener: () => void): unknown;
  readonly writableFinished: boolean;
  readonly headersSent: boolean;
};

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

type Charging = { charge(call: PaidCall): Promise<Charge>; largestHeldBytes: number };

export function expressMiddleware({ charge, largestHeldBytes }: Charging): ExpressMiddleware {
  return (request, response, next) => {
    let hasDisconnected = false;
    response.once('close', () => {
      hasDisconnected = true;
    });
    const call = callOf(request);
    if (!call) return send(response, badAddress());
    charge(call).then(async (charged) => {
      switch (charged.outcome) {
        case 'refused':
          return send(response, charged.answer);
        case 'free':
          return next();
        case 'settled':
          // No client is left to receive a response, so the handler does not run.
          if (hasDisconnected) return charged.settled.unsent();
          addReceipt(response, charged.settled);
          response.once('close', () => {
            const status = response.writableFinished ? response.statusCode : undefined;
            if (status === undefined || status >= 400) void charged.unserved(status, response.headersSent);
          });
          return next();
        case 'verified':
          if (hasDisconnected) return charged.abandon();
          hold(response, charged, largestHeldBytes);
          return next();
        default:
          return charged satisfies never;
      }
    }, next);
  };
}

/** Undefined if the `Host` header is no host. */
function callOf(request: ExpressRequest): PaidCall | undefined {
  const { method, originalUrl, protocol, headers, baseUrl } = request;
  const read = (name: string) => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  };
  // Express derives protocol and hostname from forwarded headers, if its setting "trust proxy" allows it.
  const named = read('host') ?? 'localhost';
  const hostname = request.hostname ?? named;
  const host = named.startsWith(hostname) ? named : hostname;
  const route = (request as { route?: { path?: unknown } }).route?.path;
  // A path that starts with two slashes is not the name of another host.
  const address = originalUrl.startsWith('/') ? `${protocol}://${host}${originalUrl}` : originalUrl;
  if (!URL.canParse(address)) return undefined;
  return {
    method,
    url: new URL(address).toString(),
    header: read,
    routeTemplate: typeof route === 'string' ? `${baseUrl}${route}` : undefined,
    request,
  };
}

function hold(
  response: ExpressResponse,
  charge: Extract<Charge, { outcome: 'verified' }>,
  largestHeldBytes: number,
): void {
  const held = holdResponse(response, largestHeldBytes);
  const settle = async () => {
    const what = await held.ended;
    // Nobody is left to receive the response.
    if (what === 'disconnected') return charge.abandon();
    if (what === 'too large') {
      charge.abandon();
      return held.replace(() => send(response, tooLarge(largestHeldBytes)));
    }
    if (response.statusCode >= 400) {
      charge.abandon();
      return held.release();
    }
    const settling = await charge.settle();
    if (settling.isSettled) {
      if (held.hasDisconnected()) return settling.unsent();
      addReceipt(response, settling);
      return held.release();
    }
    held.replace(() => send(response, settling.answer));
  };
  void settle();
}

function addReceipt(response: ExpressResponse, { headers }: Settled): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const cacheControl = response.getHeader('cache-control');
  response.setHeader('cache-control', privateCacheControl(cacheControl === undefined ? null : String(cacheControl)));
  const exposed = response.getHeader('access-control-expose-headers');
  const names = exposed === undefined ? 'PAYMENT-RESPONSE' : `${exposed}, PAYMENT-RESPONSE`;
  response.setHeader('access-control-expose-headers', names);
}

function send(response: ExpressResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}
