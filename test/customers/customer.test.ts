import { describe, expect, it } from 'vitest';
import { customerFieldsSchema } from '../../src/customers/customer.ts';
import { parseWalletAddress } from '../../src/customers/wallet.ts';
import { metadataSchema } from '../../src/platform/metadata.ts';

const limits = [
  ['name', 255],
  ['externalId', 255],
  ['address', 500],
  ['city', 255],
  ['state', 255],
  ['country', 255],
  ['postalCode', 50],
] as const;

describe("a customer's fields", () => {
  it.each(limits)('%s accepts %i characters and not one more', (field, limit) => {
    expect(customerFieldsSchema.safeParse({ [field]: 'x'.repeat(limit) }).success).toBe(true);
    const over = customerFieldsSchema.safeParse({ [field]: 'x'.repeat(limit + 1) });
    expect(over.error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([
      [field, `at most ${limit} characters`],
    ]);
  });

  it('email is an address of at most 255 characters', () => {
    expect(customerFieldsSchema.safeParse({ email: 'ada@example.com' }).success).toBe(true);
    expect(customerFieldsSchema.safeParse({ email: 'ada' }).success).toBe(false);
    expect(customerFieldsSchema.safeParse({ email: `a@${'b.'.repeat(130)}com` }).success).toBe(false);
  });

  it('metadata accepts 50 keys and 16 KiB', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expect(metadataSchema.safeParse(keys(50)).success).toBe(true);
    expect(metadataSchema.safeParse(keys(51)).success).toBe(false);
    const filler = 16 * 1024 - Buffer.byteLength(JSON.stringify({ a: '' }));
    expect(metadataSchema.safeParse({ a: 'x'.repeat(filler) }).success).toBe(true);
    expect(metadataSchema.safeParse({ a: 'x'.repeat(filler + 1) }).success).toBe(false);
  });
});

describe('a wallet address', () => {
  const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

  it.each([
    checksummed,
    checksummed.toLowerCase(),
    `0x${checksummed.slice(2).toUpperCase()}`,
    checksummed.replace('dA', 'Da'),
  ])('%s is returned with its checksum', (given) => {
    expect(parseWalletAddress(given)).toBe(checksummed);
  });

  it.each(['', '0x', checksummed.slice(0, -1), `${checksummed}0`, checksummed.slice(2), '0xZ'])(
    '"%s" is rejected',
    (given) => {
      expect(() => parseWalletAddress(given)).toThrow(/walletAddress/);
    },
  );
});
