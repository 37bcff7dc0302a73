/** Networks from which a key may be used, in CIDR notation. A single address is a network of one. */
import { BlockList, isIP } from 'node:net';

/** Maximum number of networks per key. */
export const NETWORKS_LIMIT = 50;

type Family = 'ipv4' | 'ipv6';
type Network = { address: string; prefix: number; family: Family };

const mappedAddresses = new BlockList();
mappedAddresses.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * Parses a network into its stored form, such as `203.0.113.0/24`. Returns null for anything else. IPv4-mapped IPv6 addresses are rejected,
 * because a caller's address is compared as IPv4 and would never match such a network.
 */
export function parseNetwork(text: string): string | null {
  const network = readNetwork(text);
  return network && `${network.address}/${network.prefix}`;
}

/** Whether a caller's full address is in one of the networks. */
export function networksAllow(networks: readonly string[], address: string): boolean {
  return isIP(address) !== 0 && lies({ address, family: familyOf(address) }, networks.map(readNetwork));
}

/** Whether `inner` is completely contained in one of `outer`. */
export function isWithinNetworks(inner: string, outer: readonly string[]): boolean {
  const network = readNetwork(inner);
  if (!network) return false;
  const larger = outer.map(readNetwork).filter((each) => each !== null && each.prefix <= network.prefix);
  return lies(network, larger);
}

/** Compares within the same address family only, because Node considers an IPv4 address part of `::/0`. */
function lies({ address, family }: Omit<Network, 'prefix'>, networks: readonly (Network | null)[]): boolean {
  const list = new BlockList();
  for (const network of networks) {
    if (network?.family === family) list.addSubnet(network.address, network.prefix, family);
  }
  return list.check(address, family);
}

function readNetwork(text: string): Network | null {
  const [address = '', length, ...rest] = text.toLowerCase().split('/');
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return null;
  const family = familyOf(address);
  const longest = family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? longest : /^(0|[1-9]\d{0,2})$/.test(length) ? Number(length) : Number.NaN;
  if (!(prefix <= longest)) return null;
  if (family === 'ipv6' && mappedAddresses.check(address, family)) return null;
  return { address, prefix, family };
}

function familyOf(address: string): Family {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
