/**
 * Secrets inside a stored first answer, sealed under a secret of the installation and the caller's idempotency key, of which
 * the database has neither. The caller who repeats the call gets the same secret again; who reads the table gets nothing, even
 * where he can guess the idempotency key.
 */
import { GatewayError } from '../../errors.ts';
import { deriveKey, seal, unseal } from '../secret-box.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

/** The text sealed for the request's key; without a request nothing is stored, and the text stays itself. */
export function sealed(request: IdempotencyRequest | undefined, text: string): string {
  return request ? seal(sealKey(request), text) : text;
}

/**
 * The inverse of `sealed` with the same request. CONFLICT when the text was not sealed for this key and scope by this
 * installation's secret, as after that was replaced: only another idempotency key gets an answer then.
 */
export function unsealed(request: IdempotencyRequest | undefined, text: string): string {
  if (!request) return text;
  try {
    return unseal(sealKey(request), text);
  } catch (cause) {
    throw new GatewayError(
      'CONFLICT',
      'The first answer to this idempotency key holds a secret that can be read no more; use another key.',
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
