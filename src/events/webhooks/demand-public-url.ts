import { isIP } from 'node:net';
import { invalid } from '../../errors.ts';
import { isPublicAddress } from '../../platform/public-address.ts';

/**
 * Refuses at once a URL whose host is written as a private address, or that is this machine by name; what another name
 * resolves to is judged at each try. VALIDATION_ERROR for `url`.
 */
export function demandPublicUrl(world: { privateAddresses: boolean }, url: string): void {
  if (world.privateAddresses) return;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isPrivate = isIP(host) === 0 ? /(^|\.)localhost$/i.test(host) : !isPublicAddress(host);
  if (isPrivate) throw invalid([{ param: 'url', message: 'is inside a private network' }]);
}
