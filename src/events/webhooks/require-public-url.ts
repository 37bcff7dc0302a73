import { isIP } from 'node:net';
import { invalid } from '../../errors.ts';
import { isPublicAddress } from '../../platform/outbound/public-address.ts';

/**
 * Rejects a URL whose host is a private address or names this machine; what other names resolve to is checked at each attempt.
 * Throws VALIDATION_ERROR for `url`.
 */
export function requirePublicUrl(world: { privateAddresses: boolean }, url: string): void {
  if (world.privateAddresses) return;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isPrivate = isIP(host) === 0 ? /(^|\.)localhost$/i.test(host) : !isPublicAddress(host);
  if (isPrivate) throw invalid([{ param: 'url', message: 'is inside a private network' }]);
}
