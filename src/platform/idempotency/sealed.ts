/**
 * Secrets inside a stored first answer: AES-256-GCM under a key derived (HKDF-SHA-256) from the caller's idempotency key,
 * which is not stored. The caller who repeats the call gets the same secret again; who reads the table gets nothing
 * that the idempotency key was not guessable for.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { IdempotencyRequest } from './idempotency-request.ts';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The text sealed for the request's key; without a request nothing is stored, and the text stays itself. */
export function sealed(request: IdempotencyRequest | undefined, text: string): string {
  if (!request) return text;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealKey(request), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
}

/** The inverse of `sealed` with the same request. Throws when the text was not sealed for this key and scope. */
export function unsealed(request: IdempotencyRequest | undefined, text: string): string {
  if (!request) return text;
  const [version, encoded] = text.split('.');
  if (version !== VERSION || encoded === undefined) throw new Error('Not a sealed text.');
  const bytes = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealKey(request), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}

function sealKey(request: IdempotencyRequest): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', request.key, request.scopeId, 'sluice idempotency seal', 32));
}
