/**
 * What makes two calls the same call.
 *
 * - The *key* is the caller's word: the body's `idempotencyKey` (intents; kept for ever) or the header
 *   `Idempotency-Key` (any POST; kept at least 24 h). One namespace for both, in one *scope*: the app, or for what
 *   belongs to no app the merchant or card user.
 * - The *fingerprint* is a hash of the operation and its parameters; the same key with another one is a mismatch.
 * - The *first answer* is what the effect returned, stored in the effect's own transaction (`once.ts`), so that it
 *   exists exactly when the effect does. Only success is stored: a failure rolls back, and its key is free again.
 *
 * The key itself is never stored, only its hash, which tells a key that can be guessed: secrets in an answer are sealed under
 * a secret of the installation as well (`sealed.ts`).
 */
import { createHash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import { canonicalJson } from './typed-json.ts';

export type IdempotencyRequest = {
  /** The app; for what belongs to no app the merchant or the card user. */
  scopeId: string;
  /** As the caller gave it; never stored. */
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

/**
 * The caller's idempotency, or undefined when no key was given. `parameters` are the call's own, without its key.
 * VALIDATION_ERROR when body and header name different keys, or a key is empty, over 255 characters or has control characters.
 */
export function idempotencyRequest(options: {
  scopeId: string;
  /** The operation's name, as in the GraphQL schema. */
  operation: string;
  parameters: unknown;
  sealedUnder: Uint8Array;
  bodyKey?: string | null | undefined;
  headerKey?: string | null | undefined;
  onReplay?: (() => void) | undefined;
}): IdempotencyRequest | undefined {
  const body = options.bodyKey ?? undefined;
  const header = options.headerKey ?? undefined;
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
    key,
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
