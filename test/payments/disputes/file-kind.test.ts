import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileKindOf, safeFileName } from '../../../src/payments/disputes/file-kind.ts';
import { fiatOf, splitOf } from '../../../src/payments/disputes/split.ts';

it.each([
  ['invoice.pdf', 'invoice.pdf'],
  ['photo.of.parcel.jpeg', 'photo.of.parcel.pdf'],
  ['C:\\fakepath\\scan.html', 'scan.pdf'],
  ['../../etc/passwd', 'passwd.pdf'],
  ['.htaccess', 'file.pdf'],
  ['', 'file.pdf'],
  ['Quittung über 5 €.png', 'Quittung über 5 €.pdf'],
  ['a"; filename=evil.exe', 'a filename=evil.pdf'],
  ['gpj.\u202eexe', 'gpj.pdf'],
])('the name %s becomes %s', (given, safe) => {
  expect(safeFileName(given, 'application/pdf')).toBe(safe);
});

it('any name is safe in a header and a file system', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
      const name = safeFileName(given, 'image/png');
      expect(name).toMatch(/^[^/\\"\n\r]+\.png$/);
      expect(name.startsWith('.')).toBe(false);
      expect(() => encodeURIComponent(name)).not.toThrow();
      expect([...name].length).toBeLessThanOrEqual(104);
    }),
  );
});

it('random bytes are of no kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => {
      const head = Buffer.from(bytes).toString('latin1');
      const isKnown = /^(%PDF-|\x89PNG|\xff\xd8\xff|GIF8|RIFF)/s.test(head);
      if (!isKnown) expect(fileKindOf(bytes)).toBeNull();
    }),
  );
});

it('a split loses no base unit, and rounds each share down', () => {
  const bps = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
      bps,
      fc.integer({ min: 0, max: 1_000 }),
      (remaining, payerBps, feeBps) => {
        const { payerAmount, merchantAmount, feeAmount } = splitOf(remaining, { payerBps, feeBps });
        expect(payerAmount + merchantAmount + feeAmount).toBe(remaining);
        expect(payerAmount * 10_000n <= remaining * BigInt(payerBps)).toBe(true);
        expect((payerAmount + 1n) * 10_000n > remaining * BigInt(payerBps)).toBe(true);
        expect(feeAmount * 10_000n <= (remaining - payerAmount) * BigInt(feeBps)).toBe(true);
      },
    ),
  );
});

it('fiat is the share of what was paid, half up', () => {
  expect(fiatOf(3_333n, { units: 10_000n, fiat: '10.00' })).toBe('3.33');
  expect(fiatOf(1n, { units: 2n, fiat: '0.01' })).toBe('0.01');
  expect(fiatOf(1n, { units: 3n, fiat: '0.01' })).toBe('0.00');
  expect(fiatOf(10n ** 18n, { units: 3n * 10n ** 18n, fiat: '100.00' })).toBe('33.33');
  expect(fiatOf(0n, { units: 0n, fiat: '1.00' })).toBe('0.00');
});
