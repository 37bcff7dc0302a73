/**
 * A checkout session's client secret: what a payer's page drives that one session with. It names its session, so that it
 * is looked up by id and compared in constant time; only its SHA-256 hash is stored.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'cs_';
const ID_BYTES = 16;
const RANDOM_BYTES = 32;

/** `cs_` and base64url of the session's id and 32 random bytes. */
export function newClientSecret(sessionId: string): string {
  const id = Buffer.from(sessionId.replaceAll('-', ''), 'hex');
  return PREFIX + Buffer.concat([id, randomBytes(RANDOM_BYTES)]).toString('base64url');
}

export function hashClientSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}

/** The id of the session that a secret says to be of, or null when it is no secret at all. */
export function sessionIdOf(secret: string): string | null {
  if (!/^cs_[A-Za-z0-9_-]{64}$/.test(secret)) return null;
  const hex = Buffer.from(secret.slice(PREFIX.length), 'base64url').subarray(0, ID_BYTES).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** In constant time. */
export function clientSecretMatches(hash: Uint8Array, secret: string): boolean {
  const given = hashClientSecret(secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
}
