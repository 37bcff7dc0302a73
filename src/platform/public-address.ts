/**
 * Which addresses a request to a foreign host may go to. A name is resolved once, judged, and connected to by the address
 * that was judged, so that a name cannot mean one thing when checked and another when used.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const notPublic = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv6');
}

/** Whether an IP address lies on the public internet; IPv4 addresses mapped into IPv6 are judged as IPv4. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (family === 4) return !notPublic.check(address, 'ipv4');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return isPublicAddress(mapped[1]);
  if (/^::ffff:/i.test(address)) return false;
  return !notPublic.check(address, 'ipv6');
}

/** Refused because the host lies inside a private network. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** A `lookup` for node's sockets that gives only public addresses, or every one where private ones are allowed. */
export function guardedLookup(options: { privateAddresses: boolean }): LookupFunction {
  return (hostname, settings, done) => {
    lookup(hostname, { ...settings, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const addresses: LookupAddress[] = found.filter(
        (one) => options.privateAddresses || isPublicAddress(one.address),
      );
      const [first] = addresses;
      if (!first) return done(new PrivateAddressError(`${hostname} has no public address.`), '', 0);
      if (settings.all === true) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
