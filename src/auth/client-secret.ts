/**
 * The client secret of a checkout session, with which a payer's page operates that session only. It contains the session's id, so that the
 * session is looked up by id and the secret is compared in constant time. Only its SHA-256 hash is stored.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'cs_';
const ID_BYTES = 16;
const RANDOM_BYTES = 32;

/** Generates a secret: `cs_`, followed by the session's id and 32 random bytes in base64url. */
export function newClientSecret(sessionId: string): string {
  const id = Buffer.from(sessionId.replaceAll('-', ''), 'hex');
  return PREFIX + Buffer.concat([id, randomBytes(RANDOM_BYTES)]).toString('base64url');
}

export function hashClientSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}

/** Returns the id of the session that a secret names, or null if the text is not a client secret. */
export function sessionIdOf(secret: string): string | null {
  if (!/^cs_[A-Za-z0-9_-]{64}$/.test(secret)) return null;
  const hex = Buffer.from(secret.slice(PREFIX.length), 'base64url').subarray(0, ID_BYTES).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Compares in constant time. */
export function clientSecretMatches(hash: Uint8Array, secret: string): boolean {
  const given = hashClientSecret(secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
}
