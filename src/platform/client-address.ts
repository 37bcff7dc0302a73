import { isIP } from 'node:net';

/**
 * The caller's address. `X-Forwarded-For` is believed for as many hops as there are trusted proxies, counted from the
 * right: what stands left of those the caller wrote itself. IPv6 is cut to its /64, which one subscriber holds whole.
 */
export function clientAddress(options: {
  remoteAddress: string | undefined;
  forwardedFor: string | undefined;
  trustedProxies: number;
}): string {
  const direct = options.remoteAddress ?? 'unknown';
  if (options.trustedProxies === 0 || options.forwardedFor === undefined) return network(direct);
  const hops = options.forwardedFor.split(',').map((hop) => hop.trim());
  const named = hops[Math.max(0, hops.length - options.trustedProxies)] ?? '';
  return network(isIP(named) ? named : direct);
}

function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
