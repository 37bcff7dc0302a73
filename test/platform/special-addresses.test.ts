/** Every block of the special-purpose registries by its first and last address, and the adjacent addresses. */
import { describe, expect, it } from 'vitest';
import {
  isLocalAddress,
  isPublicAddress,
  specialIpv4,
  specialIpv6,
} from '../../src/platform/outbound/public-address.ts';

/** IANA's IPv4 registry, and multicast. */
const ipv4 = `
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 192.0.0.8/32
  192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
  192.88.99.2/32 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  255.255.255.255/32`;

/** IANA's IPv6 registry, blocks that other RFCs reserve, and everything outside 2000::/3. */
const ipv6 = `
  ::1/128 ::/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128
  2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
  2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 ::/96 ::ffff:0:0:0/96 200::/7 fec0::/10 ff00::/8`;
const outsideGlobalUnicast = '::/3 4000::/2 8000::/1';

type Block = { text: string; bits: 32 | 128; first: bigint; last: bigint };

function blocksOf(list: string, bits: 32 | 128): Block[] {
  return list
    .trim()
    .split(/\s+/)
    .map((text) => {
      const [network = '', length = ''] = text.split('/');
      const first = bits === 32 ? ipv4Number(network) : ipv6Number(network);
      return { text, bits, first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
    });
}

const blocks = [...blocksOf(ipv4, 32), ...blocksOf(ipv6, 128)];
const refused = [...blocks, ...blocksOf(outsideGlobalUnicast, 128)];

function isRefused(number: bigint, bits: 32 | 128): boolean {
  return refused.some((block) => block.bits === bits && block.first <= number && number <= block.last);
}

it('the table contains the rows of the registries', () => {
  const listed = [...specialIpv4, ...specialIpv6].map(([block]) => block as string);
  expect(listed.toSorted()).toEqual(blocks.map(({ text }) => text).toSorted());
});

describe.each(blocks.map((block) => [block.text, block] as const))('%s', (_text, { bits, first, last }) => {
  it('is rejected from its first address to its last', () => {
    for (const number of [first, (first + last) / 2n, last]) {
      expect([print(number, bits), isPublicAddress(print(number, bits))]).toEqual([print(number, bits), false]);
    }
  });

  it('does not affect the adjacent addresses', () => {
    const beside = [first - 1n, last + 1n].filter((number) => number >= 0n && number < 1n << BigInt(bits));
    for (const number of beside) {
      const address = print(number, bits);
      expect([address, isPublicAddress(address)]).toEqual([address, !isRefused(number, bits)]);
    }
  });
});

it.each(blocks.filter(({ bits }) => bits === 32))('an IPv4-mapped address is classified as IPv4, in $text', (block) => {
  for (const number of [block.first, block.last, block.last + 1n].filter((one) => one < 1n << 32n)) {
    const dotted = print(number, 32);
    const groups = print((0xffffn << 32n) + number, 128);
    expect([`::ffff:${dotted}`, isPublicAddress(`::ffff:${dotted}`)]).toEqual([
      `::ffff:${dotted}`,
      isPublicAddress(dotted),
    ]);
    expect([groups, isPublicAddress(groups)]).toEqual([groups, isPublicAddress(dotted)]);
  }
});

it.each([
  ['IPv4-compatible', '::10.0.0.1'],
  ['IPv4-translated', '::ffff:0:10.0.0.1'],
  ['NAT64', '64:ff9b::10.0.0.1'],
  ['NAT64 of a local prefix', '64:ff9b:1::10.0.0.1'],
  ['6to4', '2002:a00:1::1'],
  ['Teredo', '2001:0:5ef5:79fd::1'],
  ['ISATAP', '2606:4700::5efe:10.0.0.1'],
  ['ISATAP of a global address', '2606:4700:1:2:200:5efe:a00:1'],
  ['a zone', 'fe80::1%eth0'],
])('IPv6 with an IPv4 address embedded by %s is rejected', (_form, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it('local addresses are distinguished from other special addresses', () => {
  for (const address of ['127.0.0.1', '10.1.2.3', '::1', 'fd00::1', 'fe80::1%eth0', '::ffff:192.168.1.1'])
    expect([address, isLocalAddress(address)]).toEqual([address, true]);
  for (const address of ['8.8.8.8', '2002:808:808::1', '2001::1', '192.31.196.1', '2606:4700::1111', 'unknown', ''])
    expect([address, isLocalAddress(address)]).toEqual([address, false]);
});

function ipv4Number(text: string): bigint {
  return text.split('.').reduce((number, octet) => number * 256n + BigInt(octet), 0n);
}

function ipv6Number(text: string): bigint {
  const [head = [], tail = []] = text.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((number, group) => number * 65536n + BigInt(`0x${group}`), 0n);
}

function print(number: bigint, bits: 32 | 128): string {
  const width = bits === 32 ? 8n : 16n;
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, index) => {
    const part = (number >> (BigInt(bits) - width * BigInt(index + 1))) & ((1n << width) - 1n);
    return part.toString(bits === 32 ? 10 : 16);
  });
  return parts.join(bits === 32 ? '.' : ':');
}
