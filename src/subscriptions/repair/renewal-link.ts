/**
 * The address of the page on which a payer repairs a failed renewal. Its token is an HMAC of the invoice's id and the time at which the
 * link expires, so that nothing is stored. It is of no use once the invoice is paid or closed. Changing TOKEN_SECRET invalidates every
 * link issued before.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';

type Keys = Pick<SecretKeys, 'renewals'>;
/** `expiresAt` in Unix seconds. */
export type RenewalLink = { invoiceId: string; expiresAt: number };

function renewalToken(keys: Keys, { invoiceId, expiresAt }: RenewalLink): string {
  return createHmac('sha256', keys.renewals).update(`${invoiceId} ${expiresAt}`).digest('base64url');
}

/** Compares in constant time. Does not check whether the link has expired. */
export function renewalTokenMatches(keys: Keys, link: RenewalLink, token: string): boolean {
  const [own, given] = [Buffer.from(renewalToken(keys, link)), Buffer.from(token)];
  return own.length === given.length && timingSafeEqual(own, given);
}

/** An absolute URL; `publicUrl` has no trailing slash. */
export function renewalUrl(world: { secretKeys: Keys; config: { publicUrl: string } }, link: RenewalLink): string {
  const { invoiceId, expiresAt } = link;
  const token = renewalToken(world.secretKeys, link);
  return `${world.config.publicUrl}/renewal/${invoiceId}?expires=${expiresAt}&token=${token}`;
}
