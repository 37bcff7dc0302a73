/** Reads the PAYMENT-SIGNATURE header. Its contents come from the client. The gateway verifies the quote and the signature. */
import { decodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

const LARGEST_HEADER = 32_768;

/** Returns undefined for a header that is not a payment of x402 version 2. */
export function readPayment(header: string): PaymentPayload | undefined {
  if (header.length > LARGEST_HEADER) return undefined;
  try {
    return asPayment(decodePaymentSignatureHeader(header));
  } catch {
    return undefined;
  }
}

export function asPayment(value: unknown): PaymentPayload | undefined {
  if (!isRecord(value) || value.x402Version !== 2 || !isRecord(value.payload)) return undefined;
  const { accepted } = value;
  if (!isRecord(accepted) || !isRecord(accepted.extra)) return undefined;
  const texts = [accepted.scheme, accepted.network, accepted.asset, accepted.amount, accepted.payTo];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return value as PaymentPayload;
}

/** Undefined `schemes` and `networks` are all. */
type QuotedFor = {
  resource: string;
  price: string;
  currency: string;
  schemes: readonly string[] | undefined;
  networks: readonly string[] | undefined;
};

/**
 * Whether the accepted requirement was quoted for this route at this price, by a scheme and on a network that it offers. Without this check,
 * the quote of a cheap route would pay for an expensive one, and a payment that cannot be refunded for a route that offers only `escrow`.
 * The gateway verifies that the quote is genuine and that the requirement equals it.
 */
export function isQuotedFor(accepted: PaymentRequirements, wanted: QuotedFor): boolean {
  const claims = readClaims(accepted.extra.quote);
  return (
    claims !== undefined &&
    (wanted.schemes ?? [accepted.scheme]).includes(accepted.scheme) &&
    (wanted.networks ?? [accepted.network]).includes(accepted.network) &&
    claims.resource === wanted.resource &&
    claims.currency === wanted.currency &&
    typeof claims.price === 'string' &&
    sameDecimal(claims.price, wanted.price)
  );
}

/** Whether the accepted requirement was quoted for this resource, at any price. */
export function isQuotedAt(accepted: PaymentRequirements, resource: string): boolean {
  return readClaims(accepted.extra.quote)?.resource === resource;
}

function readClaims(quote: unknown): Record<string, unknown> | undefined {
  if (typeof quote !== 'string') return undefined;
  const [claims] = quote.split('.');
  try {
    const bytes = Uint8Array.from(atob((claims ?? '').replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** "0.010" and "0.01" are the same price. */
function sameDecimal(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${fraction.replace(/0+$/, '')}`;
}

/**
 * The random id of the 402 response to which the payment belongs. A signed authorization is public as soon as it is sent to the chain, but
 * the id is known only to the client that received the response, so no one else can obtain what the payment buys.
 */
export function requestIdOf({ accepted }: PaymentPayload): string {
  const { requestId } = accepted.extra;
  return typeof requestId === 'string' ? requestId : '';
}

/** Identifies a payment regardless of the form of its header: the token accepts one authorization with this payer and nonce. */
export function paymentKey(payment: PaymentPayload): string {
  const { network, asset } = payment.accepted;
  const authorization = payment.payload.authorization;
  if (isRecord(authorization) && typeof authorization.from === 'string' && typeof authorization.nonce === 'string') {
    return [network, asset, authorization.from, authorization.nonce].join(':').toLowerCase();
  }
  return `${network}:${JSON.stringify(payment.payload)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
