/**
 * What makes two calls the same call.
 *
 * - The *key* is the caller's word: the body's `idempotencyKey` (intents; kept for ever) or the header
 *   `Idempotency-Key` (any POST; kept at least 24 h). One namespace for both, in one *scope*: the app, or for what
 *   belongs to no app the merchant or card user. In the header a key may stand in double quotes, as a string of structured
 *   fields does (RFC 9651): `"k"` and `k` are one key.
 * - A key that can be *guessed* is neither a UUID nor at least 22 characters of base64url. Where a call needs no credential,
 *   such a key is one of the caller's network address: two strangers who chose it never share an answer.
 * - The *fingerprint* is a hash of the operation and its parameters; the same key with another one is a mismatch.
 * - The *first answer* is what the effect returned, stored in the effect's own transaction (`once.ts`), so that it
 *   exists exactly when the effect does. Only success is stored: a failure rolls back, and its key is free again.
 *
 * The key itself is never stored, only its hash, which tells a key that can be guessed: secrets in an answer are sealed under
 * a secret of the installation as well (`sealed.ts`).
 */
import { createHash } from 'node:crypto';
import { GatewayError, invalid } from '../../errors.ts';
import { canonicalJson } from './typed-json.ts';

export type IdempotencyRequest = {
  /** The app; for what belongs to no app the merchant or the card user. */
  scopeId: string;
  /** As the caller gave it, after the caller's address where the key is one of that address; never stored. */
  key: string;
  /** The first answer is kept for ever, else for at least 24 h. */
  permanent: boolean;
  fingerprint: string;
  /** The installation's secret for secrets in first answers, 32 bytes (`SecretKeys.answers`). */
  sealedUnder: Uint8Array;
  /** Told when the first answer is given again, so that the response can say so. */
  onReplay: () => void;
};

export const IDEMPOTENCY_KEY_LENGTH = 255;
/** UUIDs are among them: 128 bits in base64url are 22 characters. */
const UNGUESSABLE = /^[A-Za-z0-9_-]{22,}$/;

/**
 * The caller's idempotency, or undefined when no key was given. `parameters` are the call's own, without its key.
 * VALIDATION_ERROR when body and header name different keys, when a key is empty, over 255 characters or has control characters,
 * and when the header's double quotes do not enclose a string.
 */
export function idempotencyRequest(options: {
  scopeId: string;
  /** The operation's name, as in the GraphQL schema. */
  operation: string;
  parameters: unknown;
  sealedUnder: Uint8Array;
  bodyKey?: string | null | undefined;
  headerKey?: string | null | undefined;
  /** The caller's network address, where the call needs no credential. */
  strangersAddress?: string | undefined;
  onReplay?: (() => void) | undefined;
}): IdempotencyRequest | undefined {
  const body = options.bodyKey ?? undefined;
  const header = options.headerKey == null ? undefined : unquoted(options.headerKey);
  const key = body ?? header;
  if (key === undefined) return undefined;
  if (body !== undefined) demandKey(body, 'idempotencyKey');
  if (header !== undefined) demandKey(header, 'Idempotency-Key');
  if (body !== undefined && header !== undefined && body !== header) {
    throw new GatewayError('VALIDATION_ERROR', 'idempotencyKey and the header Idempotency-Key differ.', {
      details: [{ param: 'idempotencyKey', message: 'differs from the header Idempotency-Key' }],
    });
  }
  return {
    scopeId: options.scopeId,
    key: keyOf(key, options.strangersAddress),
    permanent: body !== undefined,
    fingerprint: fingerprint(options.operation, options.parameters),
    sealedUnder: options.sealedUnder,
    onReplay: options.onReplay ?? (() => {}),
  };
}

/** Hex SHA-256 of the operation and its parameters in canonical form: the order of keys does not matter. */
export function fingerprint(operation: string, parameters: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([operation, parameters]))
    .digest('hex');
}

/** What is stored in place of the key. */
export function storedKey(request: IdempotencyRequest): string {
  return createHash('sha256').update(`${request.scopeId}\n${request.key}`).digest('hex');
}

/** No key has a line break: an address in front of it makes none that another call can name. */
function keyOf(key: string, strangersAddress: string | undefined): string {
  return strangersAddress === undefined || UNGUESSABLE.test(key) ? key : `${strangersAddress}\n${key}`;
}

/** The key that a header names: a string in double quotes, with `\"` and `\\` for those characters, or the whole header. */
function unquoted(header: string): string {
  if (header.length < 2 || !header.startsWith('"') || !header.endsWith('"')) return header;
  const text = header.slice(1, -1);
  if (/^(?:[^"\\]|\\["\\])*$/.test(text)) return text.replace(/\\(["\\])/g, '$1');
  throw invalid([{ param: 'Idempotency-Key', message: 'has double quotes that do not enclose one string' }]);
}

function demandKey(key: string, param: string): void {
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
