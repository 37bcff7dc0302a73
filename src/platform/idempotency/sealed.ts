/**
 * Secrets inside a stored first answer, sealed under a key derived from the caller's idempotency key, which is not
 * stored. The caller who repeats the call gets the same secret again; who reads the table gets nothing that the
 * idempotency key was not guessable for.
 */
import { deriveKey, seal, unseal } from '../secret-box.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

/** The text sealed for the request's key; without a request nothing is stored, and the text stays itself. */
export function sealed(request: IdempotencyRequest | undefined, text: string): string {
  return request ? seal(sealKey(request), text) : text;
}

/** The inverse of `sealed` with the same request. Throws when the text was not sealed for this key and scope. */
export function unsealed(request: IdempotencyRequest | undefined, text: string): string {
  return request ? unseal(sealKey(request), text) : text;
}

function sealKey(request: IdempotencyRequest): Uint8Array {
  return deriveKey(request.key, { salt: request.scopeId, purpose: 'sluice idempotency seal' });
}
