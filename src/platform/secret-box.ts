/** Encrypts short texts with AES-256-GCM and a fresh nonce per text, as `v1.<nonce, body and tag in base64url>`. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key of 32 bytes for one purpose (HKDF-SHA-256). */
export function deriveKey(secret: string | Uint8Array, options: { salt?: string; purpose: string }): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, options.salt ?? '', options.purpose, 32));
}

export function seal(key: Uint8Array, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
}

/** The inverse of `seal`. Throws if the text was not sealed under this key. */
export function unseal(key: Uint8Array, text: string): string {
  const [version, encoded] = text.split('.');
  if (version !== VERSION || encoded === undefined) throw new Error('Not a sealed text.');
  const bytes = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}
