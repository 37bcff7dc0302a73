/**
 * The address of an invoice's printable page. Its token is an HMAC of the invoice's id, so that nothing is stored, and it
 * shows (and lets be paid) that one invoice and nothing else. Another TOKEN_SECRET ends every link that was given out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';

type Keys = Pick<SecretKeys, 'invoices'>;

function invoiceToken(keys: Keys, id: string): string {
  return createHmac('sha256', keys.invoices).update(id).digest('base64url');
}

/** In constant time. */
export function invoiceTokenMatches(keys: Keys, id: string, token: string): boolean {
  const [own, given] = [Buffer.from(invoiceToken(keys, id)), Buffer.from(token)];
  return own.length === given.length && timingSafeEqual(own, given);
}

/** Absolute; `publicUrl` has no slash at its end. */
export function invoiceUrl(world: { secretKeys: Keys; config: { publicUrl: string } }, id: string): string {
  return `${world.config.publicUrl}/invoice/${id}?token=${invoiceToken(world.secretKeys, id)}`;
}
