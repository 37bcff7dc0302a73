/**
 * An API key: 256 random bits behind a prefix that tells its kind and mode, shown once and stored as a SHA-256 hash.
 * The hash needs no salt and no stretching: nobody guesses 256 random bits.
 */
import { createHash, randomBytes } from 'node:crypto';

export type ApiKeyKind = 'SECRET' | 'PUBLISHABLE';
export type AppMode = 'TEST' | 'LIVE';

const READABLE_CHARACTERS = 6;

export type NewApiKey = { secret: string; prefix: string; hash: Uint8Array<ArrayBuffer> };

/** A fresh key: `secret` goes to the caller once, `prefix` is what lists show, `hash` is what is stored. */
export function newApiKey(kind: ApiKeyKind, mode: AppMode): NewApiKey {
  const start = `${kind === 'SECRET' ? 'sk' : 'pk'}_${mode === 'TEST' ? 'test' : 'live'}_`;
  const secret = start + randomBytes(32).toString('base64url');
  return { secret, prefix: secret.slice(0, start.length + READABLE_CHARACTERS), hash: hashSecret(secret) };
}

/** SHA-256 of a secret's text, as the database keeps it. */
export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}
