/**
 * A one-time password: six digits mailed to an address, good for ten minutes, five tries and one use. At rest there is only
 * its HMAC, bound to its own id. Who asks learns nothing about the address: known and unknown ones are answered alike.
 *
 * Limits hold per address, whatever the purpose, and per network address: see `RequestLimits`.
 */
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { OneTimePassword } from '../../../prisma/client.ts';

export const CODE_DIGITS = 6;
export const CODE_SECONDS = 600;
export const TRIES_LIMIT = 5;
export const RESEND_SECONDS = 60;

export type RequestLimits = {
  /** Passwords that one address may ask for in an hour. */
  perAddressHour: number;
  /** Wrong codes that one address may be guessed with in a day. */
  wrongPerAddressDay: number;
  /** Passwords that one network address may ask for in an hour. */
  perNetworkHour: number;
};

/** Six digits, each equally likely. */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

export function hashCode(key: Uint8Array, password: { id: string; code: string }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac('sha256', key).update(`${password.id}:${password.code}`).digest());
}

/** In constant time. */
export function codeMatches(
  key: Uint8Array,
  password: Pick<OneTimePassword, 'id' | 'codeHash'>,
  code: string,
): boolean {
  return timingSafeEqual(hashCode(key, { id: password.id, code }), password.codeHash);
}

/** Whether it may still be tried. */
export function isOpen(password: OneTimePassword, now: Date): boolean {
  return password.spentAt === null && password.expiresAt > now && password.tries < TRIES_LIMIT;
}

/** Mail addresses are compared in lower case, as mailboxes in practice are. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}
