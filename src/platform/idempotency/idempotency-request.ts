/**
 * What identifies two calls as the same call.
 *
 * - The *key* is chosen by the caller: the body's `idempotencyKey` (intents; kept forever) or the header `Idempotency-Key` (any
 *   POST; kept for at least 24 h). Both share one namespace within a *scope*: the app, or, for what belongs to no app, the
 *   merchant or card user. In the header a key may be in double quotes, as a string of structured fields is (RFC 9651): `"k"` and
 *   `k` are the same key.
 * - A *guessable* key is neither a UUID nor at least 22 characters of base64url. Where a call needs no credential, such a key is
 *   combined with the caller's network address, so that two strangers who choose the same key never share a result.
 * - The *fingerprint* is a hash of the operation and its parameters; the same key with a different fingerprint is a mismatch.
 * - The *first answer* is what the effect returned, stored in the effect's own transaction (`idempotently.ts`), so that it exists exactly
 *   when the effect does. Only success is stored: a failure rolls back, and its key is free again.
 *
 * The key itself is never stored, only its hash, which does not protect a guessable key: therefore secrets in a result are also
 * sealed under a secret of the installation (`sealed.ts`).
 */
import { createHash } from 'node:crypto';
import { GatewayError, invalid } from '../../errors.ts';
import { canonicalJson } from './typed-json.ts';

export type IdempotencyRequest = {
  /** The app or, for what belongs to no app, the merchant or the card user. */
  scopeId: string;
  /** As given by the caller, prefixed with the caller's address if that applies; never stored. */
  key: string;
  /** Whether the first answer is kept forever rather than for at least 24 h. */
  permanent: boolean;
  fingerprint: string;
  /** The installation's secret for secrets in first answers, 32 bytes (`SecretKeys.answers`). */
  sealedUnder: Uint8Array;
  /** Called when the first answer is returned again, so that the response can indicate it. */
  onReplay: () => void;
};

export const IDEMPOTENCY_KEY_LENGTH = 255;
/** Includes UUIDs; 128 bits in base64url are 22 characters. */
const UNGUESSABLE = /^[A-Za-z0-9_-]{22,}$/;

/**
 * Returns the caller's idempotency request, or undefined if no key was given. `parameters` are those of the call without its key.
 * Throws VALIDATION_ERROR if body and header name different keys, if a key is empty, longer than 255 characters or contains
 * control characters, or if the header's double quotes do not enclose a string.
 */
export function idempotencyRequest(options: {
  scopeId: string;
  /** The operation's name, as in the GraphQL schema. */
  operation: string;
  parameters: unknown;
  sealedUnder: Uint8Array;
  bodyKey?: string | null | undefined;
  headerKey?: string | null | undefined;
  /** The caller's network address, for a call that needs no credential. */
  networkAddress?: string | undefined;
  onReplay?: (() => void) | undefined;
}): IdempotencyRequest | undefined {
  const body = options.bodyKey ?? undefined;
  const header = options.headerKey == null ? undefined : unquoted(options.headerKey);
  const key = body ?? header;
  if (key === undefined) return undefined;
  if (body !== undefined) requireKey(body, 'idempotencyKey');
  if (header !== undefined) requireKey(header, 'Idempotency-Key');
  if (body !== undefined && header !== undefined && body !== header) {
    throw new GatewayError('VALIDATION_ERROR', 'idempotencyKey and the header Idempotency-Key differ.', {
      details: [{ param: 'idempotencyKey', message: 'differs from the header Idempotency-Key' }],
    });
  }
  return {
    scopeId: options.scopeId,
    key: keyOf(key, options.networkAddress),
    permanent: body !== undefined,
    fingerprint: fingerprint(options.operation, options.parameters),
    sealedUnder: options.sealedUnder,
    onReplay: options.onReplay ?? (() => {}),
  };
}

/** The hex SHA-256 of the operation and its parameters in canonical form, which does not depend on the order of keys. */
export function fingerprint(operation: string, parameters: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([operation, parameters]))
    .digest('hex');
}

/** The hash that is stored in place of the key. */
export function storedKey(request: IdempotencyRequest): string {
  return createHash('sha256').update(`${request.scopeId}\n${request.key}`).digest('hex');
}

/** Keys cannot contain line breaks, so a key prefixed with an address cannot collide with one that a caller can send. */
function keyOf(key: string, networkAddress: string | undefined): string {
  return networkAddress === undefined || UNGUESSABLE.test(key) ? key : `${networkAddress}\n${key}`;
}

/** The key in a header: a string in double quotes, with `\"` and `\\` as escapes, or the whole header value. */
function unquoted(header: string): string {
  if (header.length < 2 || !header.startsWith('"') || !header.endsWith('"')) return header;
  const text = header.slice(1, -1);
  if (/^(?:[^"\\]|\\["\\])*$/.test(text)) return text.replace(/\\(["\\])/g, '$1');
  throw invalid([{ param: 'Idempotency-Key', message: 'has double quotes that do not enclose one string' }]);
}

function requireKey(key: string, param: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (key.length > 0 && key.length <= IDEMPOTENCY_KEY_LENGTH && !/[\u0000-\u001f\u007f]/.test(key)) return;
  throw new GatewayError(
    'VALIDATION_ERROR',
    `${param} must have 1 to ${IDEMPOTENCY_KEY_LENGTH} printable characters.`,
    {
      details: [{ param, message: `must have 1 to ${IDEMPOTENCY_KEY_LENGTH} printable characters` }],
    },
  );
}
