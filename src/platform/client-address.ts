import { isIP } from 'node:net';

type Connection = {
  remoteAddress: string | undefined;
  forwardedFor: string | undefined;
  trustedProxies: number;
};

/**
 * The key that calls are counted by: the caller's address, with IPv6 truncated to its /64 because a single subscriber holds all
 * of it.
 */
export function clientAddress(connection: Connection): string {
  return network(fullClientAddress(connection));
}

/**
 * The caller's full address, with an IPv4-mapped one as IPv4; `unknown` if there is none. `X-Forwarded-For` is trusted for as
 * many hops as there are trusted proxies, counted from the right; the caller itself wrote everything to the left of those.
 */
export function fullClientAddress({ remoteAddress, forwardedFor, trustedProxies }: Connection): string {
  const direct = remoteAddress ?? 'unknown';
  if (trustedProxies === 0 || forwardedFor === undefined) return plain(direct);
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  const named = hops[Math.max(0, hops.length - trustedProxies)] ?? '';
  return plain(isIP(named) ? named : direct);
}

function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? (address.split('%')[0] ?? '').toLowerCase();
}

function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
