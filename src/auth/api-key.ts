/**
 * An API key consists of 256 random bits behind a prefix that identifies its kind and mode. It is shown once and stored as a SHA-256 hash.
 * The hash needs no salt and no key stretching, because 256 random bits cannot be guessed.
 */
import { createHash, randomBytes } from 'node:crypto';

export type ApiKeyKind = 'SECRET' | 'PUBLISHABLE';
export type AppMode = 'TEST' | 'LIVE';

const READABLE_CHARACTERS = 6;

export type NewApiKey = { secret: string; prefix: string; hash: Uint8Array<ArrayBuffer> };

/** Generates a key: `secret` is returned to the caller once, `prefix` is shown in lists, and `hash` is stored. */
export function newApiKey(kind: ApiKeyKind, mode: AppMode): NewApiKey {
  const start = `${kind === 'SECRET' ? 'sk' : 'pk'}_${mode === 'TEST' ? 'test' : 'live'}_`;
  const secret = start + randomBytes(32).toString('base64url');
  return { secret, prefix: secret.slice(0, start.length + READABLE_CHARACTERS), hash: hashSecret(secret) };
}

/** Returns the SHA-256 hash of a secret's text, as stored in the database. */
export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}
