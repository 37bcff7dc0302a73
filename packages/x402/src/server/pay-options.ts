/** The options of `createX402` and `pay`. */
import type { PaidCall } from './paid-call.ts';

export type X402Options = {
  /** The address of the installation, such as `https://pay.example.com`. */
  apiUrl: string;
  /** A secret key of the app that is paid. */
  secretKey: string;
  /** The address under which clients call this server, if a proxy hides it. Its path is put before the path of each call. */
  publicUrl?: string;
  /** Whether to use `X-Forwarded-Proto` and `X-Forwarded-Host`. Only behind a proxy that sets them itself. */
  trustProxy?: boolean;
  /** For one attempt of a call to the gateway that does not settle; 10 s by default. */
  timeoutMs?: number;
  /** For a settlement, all attempts together; 60 s by default. */
  settleTimeoutMs?: number;
  /** The largest response that is held back until its payment settles; 10 MiB by default. */
  largestHeldBytes?: number;
  /** Called for failures of the gateway, such as a key that is refused. Prints them by default. */
  onError?: (error: unknown) => void;
  fetch?: typeof fetch;
};

/** What catalogs of paid resources (the bazaar extension) show about a route in addition to its price. Values are JSON Schema and examples. */
export type Discovery = {
  /** An example of the query, or of the body for methods that have one. */
  input?: Record<string, unknown>;
  /** The JSON Schema of `input`: `properties` and `required`. */
  inputSchema?: Record<string, unknown>;
  bodyType?: 'json' | 'form-data' | 'text';
  output?: { example?: unknown; schema?: Record<string, unknown> };
};

export type Price = string | ((call: PaidCall) => string | null | Promise<string | null>);

export type PayOptions = {
  /**
   * A decimal string of at most 6 decimals such as `'0.001'`, or a function of the call. A function that returns null serves the call without a
   * payment. It is called again for an earlier call if a payment is repeated and the price has changed.
   */
  price: Price;
  currency?: 'USD' | 'EUR';
  description?: string;
  mimeType?: string;
  /**
   * `'after'` (default) runs the handler first and settles only what it answered with a status below 400; the response is held back until
   * then. `'before'` settles first, so that nothing is done without a payment; a handler that fails has still been paid.
   */
  settle?: 'before' | 'after';
  /** By default every scheme and network that the app can be paid with. */
  schemes?: ('exact' | 'escrow')[];
  /** CAIP-2 names, such as `eip155:8453`. */
  networks?: string[];
  /** How long a client's authorization may be valid. */
  maxTimeoutSeconds?: number;
  /** Names the resource instead of the call's URL. */
  resource?: string | ((call: PaidCall) => string);
  /** False excludes the route from catalogs. */
  discovery?: Discovery | false;
  /**
   * A payment was settled and the handler then failed, or the client left. Refund an `escrow` payment here, unless `isBegun` is true and `status`
   * undefined: that client has left with a part of the response, perhaps all but its last byte. Without this option, a client that left before it
   * was sent anything can send the same payment again.
   */
  onUnserved?: (payment: UnservedPayment) => void | Promise<void>;
};

export type UnservedPayment = {
  paymentIntentId: string | undefined;
  scheme: string;
  payer: string | undefined;
  transaction: string;
  /** Of the handler's response; undefined if the client left before it ended. */
  status: number | undefined;
  /** Whether any of the response was sent. */
  isBegun: boolean;
};

const PRICE = /^\d{1,12}(\.\d{1,6})?$/;

/** Throws a TypeError for what is not a positive decimal string of at most 6 decimals. */
export function requirePrice(price: unknown): string {
  if (typeof price === 'string' && PRICE.test(price) && /[1-9]/.test(price)) return price;
  throw new TypeError(
    `The price must be a positive decimal string of at most 6 decimals, such as '0.001', not ${JSON.stringify(price)}.`,
  );
}

/** Throws a TypeError that names the fault. */
export function requireX402Options(options: X402Options): void {
  for (const name of ['apiUrl', 'publicUrl'] as const) {
    const value = options[name];
    if (value === undefined && name === 'publicUrl') continue;
    if (!URL.canParse(value ?? '') || !/^https?:$/.test(new URL(value ?? '').protocol)) {
      throw new TypeError(`${name} must be an http(s) URL, not ${JSON.stringify(value)}.`);
    }
  }
  if (!/^sk_/.test(options.secretKey ?? ''))
    throw new TypeError('secretKey must be a secret key, which starts with "sk_".');
}
