/**
 * Decides which addresses a request to a foreign host may go to. A name is resolved once, and the connection goes to the address
 * that was checked, so that a name cannot resolve differently between check and use.
 *
 * Refused are all entries of IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and RFC 8190; as of October 2025),
 * including the globally reachable ones, since none of them is a merchant's server, and what other registries and RFCs reserve.
 * Each entry of the tables has its name there and the RFC that reserves it.
 *
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 * https://www.iana.org/assignments/ipv6-address-space
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction, SocketAddress } from 'node:net';

type SpecialBlock = readonly [block: string, name: string, rfc: string];

export const specialIpv4 = [
  ['0.0.0.0/8', '"This network"', 'RFC 791'],
  ['0.0.0.0/32', '"This host on this network"', 'RFC 1122'],
  ['10.0.0.0/8', 'Private-Use', 'RFC 1918'],
  ['100.64.0.0/10', 'Shared Address Space', 'RFC 6598'],
  ['127.0.0.0/8', 'Loopback', 'RFC 1122'],
  ['169.254.0.0/16', 'Link Local', 'RFC 3927'],
  ['172.16.0.0/12', 'Private-Use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF Protocol Assignments', 'RFC 6890'],
  ['192.0.0.0/29', 'IPv4 Service Continuity Prefix', 'RFC 7335'],
  ['192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600'],
  ['192.0.0.9/32', 'Port Control Protocol Anycast', 'RFC 7723'],
  ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast', 'RFC 8155'],
  ['192.0.0.170/32', 'NAT64/DNS64 Discovery', 'RFC 8880'],
  ['192.0.0.171/32', 'NAT64/DNS64 Discovery', 'RFC 8880'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)', 'RFC 5737'],
  ['192.31.196.0/24', 'AS112-v4', 'RFC 7535'],
  ['192.52.193.0/24', 'AMT', 'RFC 7450'],
  ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)', 'RFC 7526'],
  ['192.88.99.2/32', '6a44-relay anycast address', 'RFC 6751'],
  ['192.168.0.0/16', 'Private-Use', 'RFC 1918'],
  ['192.175.48.0/24', 'Direct Delegation AS112 Service', 'RFC 7534'],
  ['198.18.0.0/15', 'Benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)', 'RFC 5737'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)', 'RFC 5737'],
  ['240.0.0.0/4', 'Reserved', 'RFC 1112'],
  ['255.255.255.255/32', 'Limited Broadcast', 'RFC 919'],
  // IPv4 Multicast Address Space Registry.
  ['224.0.0.0/4', 'Multicast', 'RFC 5771'],
] as const satisfies readonly SpecialBlock[];

/**
 * IPv4-mapped addresses (::ffff:0:0/96, RFC 4291) are absent: a socket connects to the IPv4 address, which is checked instead.
 */
export const specialIpv6 = [
  ['::1/128', 'Loopback Address', 'RFC 4291'],
  ['::/128', 'Unspecified Address', 'RFC 4291'],
  ['64:ff9b::/96', 'IPv4-IPv6 Translation', 'RFC 6052'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translation', 'RFC 8215'],
  ['100::/64', 'Discard-Only Address Block', 'RFC 6666'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix', 'RFC 9780'],
  ['2001::/23', 'IETF Protocol Assignments', 'RFC 2928'],
  ['2001::/32', 'Teredo', 'RFC 4380'],
  ['2001:1::1/128', 'Port Control Protocol Anycast', 'RFC 7723'],
  ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast', 'RFC 8155'],
  ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast', 'RFC 9665'],
  ['2001:2::/48', 'Benchmarking', 'RFC 5180'],
  ['2001:3::/32', 'AMT', 'RFC 7450'],
  ['2001:4:112::/48', 'AS112-v6', 'RFC 7535'],
  ['2001:10::/28', 'Deprecated (previously ORCHID)', 'RFC 4843'],
  ['2001:20::/28', 'ORCHIDv2', 'RFC 7343'],
  ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags', 'RFC 9374'],
  ['2001:db8::/32', 'Documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['2620:4f:8000::/48', 'Direct Delegation AS112 Service', 'RFC 7534'],
  ['3fff::/20', 'Documentation', 'RFC 9637'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs', 'RFC 9602'],
  ['fc00::/7', 'Unique-Local', 'RFC 4193'],
  ['fe80::/10', 'Link-Local Unicast', 'RFC 4291'],
  // Internet Protocol Version 6 Address Space.
  ['::/96', 'Deprecated (IPv4-Compatible IPv6 Address)', 'RFC 4291'],
  ['::ffff:0:0:0/96', 'IPv4-Translated Address', 'RFC 2765'],
  ['200::/7', 'Deprecated (OSI NSAP-mapped prefix set)', 'RFC 4048'],
  ['fec0::/10', 'Deprecated (Site-Local Unicast)', 'RFC 3879'],
  ['ff00::/8', 'Multicast', 'RFC 4291'],
] as const satisfies readonly SpecialBlock[];

/** The only block that addresses on the internet are allocated from (Internet Protocol Version 6 Address Space, RFC 4291). */
const globalUnicastIpv6 = '2000::/3';

/** Blocks of addresses that exist only on this machine and the networks around it. */
const localBlocks = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
] as const;

const special = blockList([...specialIpv4, ...specialIpv6].map(([block]) => block));
const globalUnicast = blockList([globalUnicastIpv6]);
const local = blockList(localBlocks);

/**
 * Whether an IP address is on the public internet: allocated there, and in no special-purpose block. An IPv4-mapped address is
 * checked as its IPv4 address; IPv6 that embeds an IPv4 address in any other way is not public.
 */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === null) return false;
  if (plain.family === 'ipv4') return !special.check(plain.address, 'ipv4');
  return (
    globalUnicast.check(plain.address, 'ipv6') && !special.check(plain.address, 'ipv6') && !isIsatap(plain.address)
  );
}

/** Whether an IP address belongs to this machine or a network around it, so that no call from the internet can come from it. */
export function isLocalAddress(address: string): boolean {
  const plain = plainAddress(address.split('%')[0] ?? '');
  return plain !== null && local.check(plain.address, plain.family);
}

/** The host has no address on the public internet, whether it has a private one or none. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * A `lookup` for Node's sockets that returns only public addresses, or all addresses if private ones are allowed. A name that
 * does not resolve fails in the same way as one that resolves to private addresses, so that nobody learns which private names
 * exist.
 */
export function guardedLookup(options: { privateAddresses: boolean }): LookupFunction {
  return (hostname, settings, done) => {
    lookup(hostname, { ...settings, all: true }, (error, found) => {
      if (error) return done(options.privateAddresses ? error : noPublicAddress(error), '', 0);
      const addresses: LookupAddress[] = found.filter(
        (one) => options.privateAddresses || isPublicAddress(one.address),
      );
      const [first] = addresses;
      if (!first) return done(noPublicAddress(), '', 0);
      if (settings.all === true) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

function noPublicAddress(cause?: Error): PrivateAddressError {
  return new PrivateAddressError('The host has no public address.', { cause });
}

type PlainAddress = { address: string; family: 'ipv4' | 'ipv6' };

/** The address in its canonical spelling, with an IPv4-mapped one as IPv4; null if it is not an address or has a zone. */
function plainAddress(address: string): PlainAddress | null {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return null;
  if (family === 4) return { address, family: 'ipv4' };
  const { address: plain } = new SocketAddress({ address, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  return mapped === undefined ? { address: plain, family: 'ipv6' } : { address: mapped, family: 'ipv4' };
}

/**
 * Whether this is an ISATAP interface (RFC 5214), under any prefix: 0:5efe or 200:5efe, then the IPv4 address of a tunnel
 * endpoint.
 */
function isIsatap(address: string): boolean {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  const [scope, marker] = [...groups(head), ...(address.includes('::') ? zeros : []), ...groups(tail)].slice(4, 6);
  return (scope === '0' || scope === '200') && marker === '5efe';
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits = ''] = block.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
