/**
 * The address of an invoice's printable page. Its token is an HMAC of the invoice's id, so that nothing is stored, and it only
 * allows viewing and paying that one invoice. Changing TOKEN_SECRET invalidates every link issued before.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';

type Keys = Pick<SecretKeys, 'invoices'>;

function invoiceToken(keys: Keys, id: string): string {
  return createHmac('sha256', keys.invoices).update(id).digest('base64url');
}

/** Compares in constant time. */
export function invoiceTokenMatches(keys: Keys, id: string, token: string): boolean {
  const [own, given] = [Buffer.from(invoiceToken(keys, id)), Buffer.from(token)];
  return own.length === given.length && timingSafeEqual(own, given);
}

/** An absolute URL; `publicUrl` has no trailing slash. */
export function invoiceUrl(world: { secretKeys: Keys; config: { publicUrl: string } }, id: string): string {
  return `${world.config.publicUrl}/invoice/${id}?token=${invoiceToken(world.secretKeys, id)}`;
}
