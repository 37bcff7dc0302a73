/** Times, addresses and colours as the pages show them. */
import { describe, expect, it } from 'vitest';
import { contrastOf, readableAccent } from '../../src/catalog/accent.ts';
import { explorerLink, shortAddress } from '../../web/src/ui/formats/address.ts';
import { absoluteTime, calendarDay, countdown, relativeTime, spanWords } from '../../web/src/ui/formats/time.ts';

const now = new Date('2026-11-22T11:00:00Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a time', () => {
  it.each([
    [0, 'now'],
    [-29, 'now'],
    [-45, '45 seconds ago'],
    [-60, '1 minute ago'],
    [-3599, '59 minutes ago'],
    [-86_400, 'yesterday'],
    [86_400 * 3, 'in 3 days'],
    [-86_400 * 400, 'last year'],
  ])('%s seconds from now is shown as %s', (seconds, words) => {
    expect(relativeTime('en', at(seconds), now)).toBe(words);
  });

  it('is counted in calendar months of any length', () => {
    // Since a minute ago, so that none is whole by the clock.
    const months = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const inMonths = (count: number) => new Date(Date.UTC(2026, 10 + count, 22, 10, 59));
    expect(months.map((count) => relativeTime('en', inMonths(count), now))).toEqual(
      months.map((count) => `in ${count} months`),
    );
    expect(relativeTime('en', new Date('2027-01-05T11:00:00Z'), now)).toBe('next month');
    expect(relativeTime('en', new Date('2026-09-22T11:00:00Z'), now)).toBe('2 months ago');
  });

  it('is shown in the viewer’s language and time zone', () => {
    expect(relativeTime('de', at(-120), now)).toBe('vor 2 Minuten');
    expect(absoluteTime('en', now, 'Europe/Berlin')).toBe('Nov 22, 2026, 12:00:00 PM GMT+1');
    expect(absoluteTime('de', now, 'UTC')).toContain('22. Nov. 2026');
  });

  it('is the day of a zone, such as of the customer’s invoice', () => {
    const endOfDay = new Date('2027-03-31T23:59:59Z');
    expect(calendarDay('en', endOfDay, 'UTC')).toBe('Mar 31, 2027');
    expect(calendarDay('en', endOfDay, 'Europe/Berlin')).toBe('Apr 1, 2027');
  });

  it('counts down to zero, and not below', () => {
    expect([605_000, 59_001, 3_723_000, 0, -5].map(countdown)).toEqual(['10:05', '1:00', '1:02:03', '0:00', '0:00']);
  });

  it.each([
    [5, '5 seconds'],
    [60, '1 minute'],
    [86_400, '24 hours'],
    [604_800, '7 days'],
    [129_600, '36 hours'],
    [5_400, '90 minutes'],
  ])('a duration of %s seconds is %s', (seconds, words) => {
    expect(spanWords('en', seconds)).toBe(words);
  });
});

describe('an address', () => {
  it('keeps its first and last characters', () => {
    expect(shortAddress('0x5FbDB2315678afecb367f032d93F642f64180aa3')).toBe('0x5FbD…0aa3');
    expect(shortAddress('0x1234')).toBe('0x1234');
  });

  it('links to the chain’s explorer if there is one', () => {
    const solana = { family: 'SOLANA', explorerUrl: 'https://explorer.solana.com?cluster=testnet' } as const;
    expect(explorerLink(solana, 'transaction', 'abc')).toBe('https://explorer.solana.com/tx/abc?cluster=testnet');
    const base = { family: 'EVM', explorerUrl: 'https://basescan.org' } as const;
    expect(explorerLink(base, 'address', '0xab')).toBe('https://basescan.org/address/0xab');
    expect(explorerLink({ family: 'EVM', explorerUrl: null }, 'address', '0xab')).toBeNull();
  });
});

describe('the accent color of a merchant', () => {
  it.each(['#ffff00', '#000000', '#ffffff', '#808080', '#2f55d4', '#ff4400', '#7f7fff'])(
    '%s is readable on light and dark backgrounds',
    (colour) => {
      for (const surface of ['#ffffff', '#171b21']) {
        const colours = readableAccent(colour, surface);
        expect(contrastOf(colours?.accentInk ?? '', surface), 'as text').toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(colours?.accent ?? '', surface), 'as a shape').toBeGreaterThanOrEqual(3);
        expect(contrastOf(colours?.onAccent ?? '', colours?.accent ?? ''), 'on it').toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it('is unchanged if it is readable, and undefined if it is no color', () => {
    expect(readableAccent('#2f55d4', '#ffffff')).toEqual({
      accent: '#2f55d4',
      onAccent: '#ffffff',
      accentInk: '#2f55d4',
    });
    expect(readableAccent('red', '#ffffff')).toBeUndefined();
  });
});
