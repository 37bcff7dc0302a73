import { describe, expect, it } from 'vitest';
import { coinGeckoPrices } from '../../src/prices/sources/coin-gecko.ts';
import { fixedPrices } from '../../src/prices/sources/fixed-prices.ts';

function openSource(staleSeconds = 120) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  let usd = 2500;
  let works = true;
  let asked = 0;
  const answer: typeof fetch = async () => {
    asked += 1;
    if (!works) return new Response('no', { status: 503 });
    return Response.json({ ethereum: { usd, eur: usd / 1.25 }, 'usd-coin': { usd: 1, eur: 0.8 } });
  };
  const book = coinGeckoPrices(
    { clock: { now: () => new Date(now) }, fetch: answer },
    { url: 'http://prices', staleSeconds },
  );
  return {
    book,
    asked: () => asked,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    set: (price: number) => {
      usd = price;
    },
    fail: () => {
      works = false;
    },
  };
}

describe('the live price source', () => {
  it('gives prices in USD, and what a euro is worth', async () => {
    const { book } = openSource();
    expect((await book.usdPrice('ETH')).priceUsd.toString()).toBe('2500');
    expect((await book.fiatUsd('EUR')).priceUsd.toString()).toBe('1.25');
    expect((await book.fiatUsd('USD')).priceUsd.toString()).toBe('1');
  });

  it('asks once for many callers at once, and not again while fresh', async () => {
    const { book, asked, pass } = openSource();
    await Promise.all([book.usdPrice('ETH'), book.usdPrice('USDC'), book.fiatUsd('EUR')]);
    pass(20);
    await book.usdPrice('ETH');
    expect(asked()).toBe(1);
  });

  it('gives out a price past its freshness while it is refreshed behind it', async () => {
    const { book, pass, set } = openSource();
    await book.usdPrice('ETH');
    set(3000);
    pass(60);
    expect((await book.usdPrice('ETH')).priceUsd.toString()).toBe('2500');
    await expect.poll(async () => (await book.usdPrice('ETH')).priceUsd.toString()).toBe('3000');
  });

  it('never gives out a stale price in silence', async () => {
    const { book, pass, fail } = openSource();
    await book.usdPrice('ETH');
    fail();
    pass(121);
    await expect(book.usdPrice('ETH')).rejects.toMatchObject({ code: 'PRICE_UNAVAILABLE' });
  });

  it('has no price of what it does not know', async () => {
    await expect(openSource().book.usdPrice('NOPE')).rejects.toMatchObject({ code: 'PRICE_UNAVAILABLE' });
  });
});

describe('the fixed table', () => {
  const book = fixedPrices({ clock: { now: () => new Date(0) } }, 'ETH=3000, FOO=0.5');

  it('adds to the built-in one', async () => {
    expect((await book.usdPrice('ETH')).priceUsd.toString()).toBe('3000');
    expect((await book.usdPrice('foo')).priceUsd.toString()).toBe('0.5');
    expect((await book.usdPrice('USDC')).priceUsd.toString()).toBe('1');
    await expect(book.usdPrice('NOPE')).rejects.toMatchObject({ code: 'PRICE_UNAVAILABLE' });
  });

  it('refuses a table that is not one', () => {
    const clock = { now: () => new Date(0) };
    for (const table of ['ETH', 'ETH=', 'ETH=-1', 'ETH=1e3'])
      expect(() => fixedPrices({ clock }, table)).toThrow(table);
  });
});
