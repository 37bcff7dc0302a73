/**
 * Secrets inside a stored first answer are sealed under a secret of the installation and the caller's idempotency key, neither of
 * which is in the database. A caller who repeats the call gets the same secret again; someone who reads the table learns nothing,
 * even if the idempotency key can be guessed.
 */
import { GatewayError } from '../../errors.ts';
import { deriveKey, seal, unseal } from '../secret-box.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

/** Seals the text for the request's key. Without a request nothing is stored, and the text is returned unchanged. */
export function sealed(request: IdempotencyRequest | undefined, text: string): string {
  return request ? seal(sealKey(request), text) : text;
}

/**
 * The inverse of `sealed` with the same request. Throws CONFLICT if the text was not sealed for this key and scope with the
 * installation's current secret, for example after that was replaced; the call then needs a new idempotency key.
 */
export function unsealed(request: IdempotencyRequest | undefined, text: string): string {
  if (!request) return text;
  try {
    return unseal(sealKey(request), text);
  } catch (cause) {
    throw new GatewayError(
      'CONFLICT',
      'The first response to this idempotency key contains a secret that can no longer be read. Use another key.',
      { cause },
    );
  }
}

function sealKey(request: IdempotencyRequest): Uint8Array {
  return deriveKey(request.sealedUnder, {
    salt: `${request.scopeId}\n${request.key}`,
    purpose: 'sluice idempotency seal',
  });
}
