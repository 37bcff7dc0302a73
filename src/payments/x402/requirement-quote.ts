/**
 * The quote in `extra.quote` of payment requirements: `<base64url of the claims as JSON>.<base64url HMAC-SHA-256>`. A 402 answer writes no
 * row, so the quote carries what the payment needs later. The HMAC covers the claims and everything else in the requirements, with object
 * keys sorted, because clients may send them back in another order. Anyone can read the claims; only this installation can issue them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import { currencies } from '../../prices/money.ts';
import { priceEvidenceSchema } from '../../prices/price-evidence.ts';
import { type Offer, type PaymentRequirements, type Refusal, x402Schemes } from './x402-types.ts';

const claimsSchema = z.object({
  /** Unique for each offer. */
  id: z.uuid(),
  appId: z.uuid(),
  /** In `currency`, such as "0.01". */
  price: z.string(),
  currency: z.enum(currencies),
  /** The URL of the resource. */
  resource: z.string(),
  scheme: z.enum(x402Schemes),
  chainId: z.int(),
  tokenKey: z.string(),
  /** Base units. */
  amount: z.string().regex(/^\d+$/),
  payTo: z.string(),
  /** Whole tokens per 1 USD. */
  exchangeRate: z.string(),
  evidence: priceEvidenceSchema,
  /** Time until which the offer may be returned to clients. A payment is accepted for `maxTimeoutSeconds` longer. */
  expiresAt: z.iso.datetime(),
});
export type QuoteClaims = z.infer<typeof claimsSchema>;

type Keys = Pick<SecretKeys, 'x402Quotes'>;
const QUOTE = /^([A-Za-z0-9_-]{1,16000})\.([A-Za-z0-9_-]{43})$/;

/** Returns the requirements with their quote. */
export function withQuote(keys: Keys, requirements: Offer, claims: QuoteClaims): Offer {
  const encoded = encodeClaims(claims);
  const quote = `${encoded}.${seal(keys, encoded, requirements).toString('base64url')}`;
  return { ...requirements, extra: { ...requirements.extra, quote } };
}

/** The claims as encoded in the quote, to which the escrow's terms commit. */
export function encodeClaims(claims: QuoteClaims): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}

const REQUEST_ID = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * The random id that a resource server has added to the requirements of one 402 response, or null. An authorization is public once it is
 * sent to the chain, but only the client that received the response can return the id with it.
 */
export function requestIdOf({ extra }: PaymentRequirements): string | null {
  return typeof extra.requestId === 'string' && REQUEST_ID.test(extra.requestId) ? extra.requestId : null;
}

/**
 * Returns the claims if this installation issued exactly these requirements, except for a `requestId`, and null if it did not. Does not
 * check the expiry. Compares in constant time.
 */
export function readQuote(keys: Keys, requirements: PaymentRequirements): QuoteClaims | null {
  const { quote, requestId, ...rest } = requirements.extra;
  const extra = requestId === undefined || requestIdOf(requirements) !== null ? rest : { ...rest, requestId };
  const [, encoded, mac] = (typeof quote === 'string' && QUOTE.exec(quote)) || [];
  if (encoded === undefined || mac === undefined) return null;
  const expected = seal(keys, encoded, { ...requirements, extra });
  if (!timingSafeEqual(expected, Buffer.from(mac, 'base64url'))) return null;
  return claimsSchema.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')));
}

/** The latest time at which a payment for the quote is taken. Null if the requirements contain no quote. */
export function takenUntil(of: { claims: QuoteClaims | null; requirements: PaymentRequirements }): Date | null {
  const { claims, requirements } = of;
  return claims && new Date(Date.parse(claims.expiresAt) + requirements.maxTimeoutSeconds * 1000);
}

/** Why a payment is no longer taken at `now`, or null. */
export function expiryFault(until: Date | null, now: Date): Refusal | null {
  if (until === null || now <= until) return null;
  const message = `The quote has expired. Payments for it were taken until ${until.toISOString()}.`;
  return { reason: 'quote_expired', message };
}

function seal(keys: Keys, encoded: string, requirements: PaymentRequirements): Buffer {
  return createHmac('sha256', keys.x402Quotes)
    .update(`${encoded}.${canonicalJson(requirements)}`)
    .digest();
}

/** JSON with the keys of every object sorted by code units. The API bounds the depth of what it reads. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, held]) => held !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, held]) => `${JSON.stringify(name)}:${canonicalJson(held)}`).join(',')}}`;
}
