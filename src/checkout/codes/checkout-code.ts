/**
 * A one-time code of a checkout session, with which a second browser takes over the payment: the browser of a wallet that a link opens, or
 * the browser of a phone that scanned the link as a QR code. Such a link passes through an operating system, a wallet and perhaps a landing
 * page of the wallet's vendor, so it contains this code instead of the client secret. The code is valid for two minutes and is exchanged
 * once for the client secret.
 *
 * The database contains the SHA-256 hash of the code, and the client secret encrypted with a key that is derived from the code. Neither of
 * them is of use without the code. Codes expire by real time, as all credentials do.
 */
import { createHash, randomBytes } from 'node:crypto';
import { deriveKey, seal, unseal } from '../../platform/secret-box.ts';
import { sessionUrl } from '../checkout-session.ts';

export const CODE_SECONDS = 120;
/** The maximum number of codes that a session has at a time. A further code replaces the oldest. */
export const CODES_LIMIT = 10;
/** The exchanges that one network address may attempt. Codes cannot be guessed; this limits the load. */
export const EXCHANGES = { perSecond: 1, burst: 60 } as const;

const CODE_BYTES = 32;
export const codePattern = /^[A-Za-z0-9_-]{43}$/;

export function newCheckoutCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url');
}

export function hashCheckoutCode(code: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(code).digest());
}

export function sealClientSecret(code: string, clientSecret: string): string {
  return seal(keyOf(code), clientSecret);
}

/** Throws if the secret was sealed with another code. */
export function unsealClientSecret(code: string, sealed: string): string {
  return unseal(keyOf(code), sealed);
}

/** The address of the checkout page that exchanges the code. The fragment is not sent to any server. */
export function codeUrl(publicUrl: string, { sessionId, code }: { sessionId: string; code: string }): string {
  return `${sessionUrl(publicUrl, sessionId)}#code=${code}`;
}

function keyOf(code: string): Uint8Array {
  return deriveKey(code, { purpose: 'sluice checkout code' });
}
