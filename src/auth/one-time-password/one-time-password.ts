/**
 * A one-time password consists of six digits that are mailed to an address and are valid for ten minutes, five attempts and one use. Only
 * its HMAC, bound to its id, is stored. The response is the same for known and unknown addresses, so that callers learn nothing about them.
 *
 * Limits apply per email address, regardless of the purpose, and per network address (`RequestLimits`).
 */
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { OneTimePassword } from '../../../prisma/client.ts';

export const CODE_DIGITS = 6;
export const CODE_SECONDS = 600;
export const ATTEMPTS_LIMIT = 5;
export const RESEND_SECONDS = 60;

export type RequestLimits = {
  /** Maximum number of passwords that may be requested for one email address per hour. */
  perAddressHour: number;
  /** Maximum number of wrong codes for one email address per day. */
  wrongPerAddressDay: number;
  /** Maximum number of passwords that may be requested from one network address per hour. */
  perNetworkHour: number;
};

/** Generates six uniformly distributed digits. */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

export function hashCode(key: Uint8Array, password: { id: string; code: string }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac('sha256', key).update(`${password.id}:${password.code}`).digest());
}

/** Compares in constant time. */
export function codeMatches(
  key: Uint8Array,
  password: Pick<OneTimePassword, 'id' | 'codeHash'>,
  code: string,
): boolean {
  return timingSafeEqual(hashCode(key, { id: password.id, code }), password.codeHash);
}

/** Whether the password may still be used. */
export function isOpen(password: OneTimePassword, now: Date): boolean {
  return password.spentAt === null && password.expiresAt > now && password.tries < ATTEMPTS_LIMIT;
}

/** Email addresses are compared in lower case, because mailboxes in practice ignore case. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}
