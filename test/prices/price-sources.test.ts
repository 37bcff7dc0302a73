import type { ServerResponse } from 'node:http';
import { Decimal } from 'decimal.js';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { Log } from '../../src/platform/log.ts';
import { silentLog } from '../../src/platform/log.ts';
import { agreedPrice } from '../../src/prices/agreed-price.ts';
import { openPriceBook } from '../../src/prices/open-price-book.ts';
import { fixedPrices } from '../../src/prices/sources/fixed-prices.ts';
import { openCoinGecko, openKraken, type PriceServer } from '../setup/chains/price-servers.ts';

const registry = loadRegistry({ rpc: [] });
let gecko: PriceServer;
let kraken: PriceServer;
beforeAll(async () => {
  [gecko, kraken] = await Promise.all([openCoinGecko(), openKraken()]);
});
beforeEach(() => {
  gecko.prices = { ethereum: '2500', 'usd-coin': '1.0', eur: '0.8' };
  kraken.prices = { XETHZUSD: '2510.00000', USDCUSD: '1.0000', ZEURZUSD: '1.25000' };
  gecko.answer = null;
  kraken.answer = null;
});

function openBook(source: 'market' | 'coingecko' | 'kraken' = 'market') {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => warnings.push(message) };
  const book = openPriceBook(
    { clock: { now: () => new Date(now) }, log, registry },
    {
      source,
      table: '',
      staleSeconds: 120,
      disagreementPercent: 1,
      coinGeckoUrl: gecko.url,
      krakenUrl: kraken.url,
    },
  );
  return {
    book,
    warnings,
    usd: async (asset: string) => (await book.usdPrice(asset)).priceUsd.toFixed(),
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

const refuse =
  (status: number, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end('{}');
  };
const respondWith = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(text);
};
const unavailable = { code: 'PRICE_UNAVAILABLE' };

describe('market prices', () => {
  it('are the median of the sources, with the names of the sources and the time', async () => {
    const { book } = openBook();
    const price = await book.usdPrice('eth');
    expect(price.priceUsd.toFixed()).toBe('2505');
    expect(price.cachedAt).toEqual(new Date('2026-01-01T00:00:00Z'));
    expect(price.sources.map(({ source, priceUsd }) => `${source} ${priceUsd.toFixed()}`)).toEqual([
      'coingecko 2500',
      'kraken 2510',
    ]);
    expect((await book.fiatUsd('EUR')).priceUsd.toFixed()).toBe('1.25');
    expect((await book.fiatUsd('USD')).priceUsd.toFixed()).toBe('1');
  });

  it('keep every digit of a source', async () => {
    gecko.prices.ethereum = '2500.123456789012345678';
    expect(await openBook('coingecko').usd('ETH')).toBe('2500.123456789012345678');
    gecko.prices.ethereum = '1.5e-7';
    expect(await openBook('coingecko').usd('ETH')).toBe('0.00000015');
  });

  it('value a stablecoin without its peg at its market price', async () => {
    gecko.prices['usd-coin'] = '0.87';
    kraken.prices.USDCUSD = '0.8700';
    expect(await openBook().usd('USDC')).toBe('0.87');
  });

  it('request each source once for concurrent callers, and not again while fresh', async () => {
    const { book, pass } = openBook();
    const before = [gecko.asked(), kraken.asked()] as const;
    await Promise.all(Array.from({ length: 50 }, () => book.usdPrice('ETH')));
    await Promise.all([book.usdPrice('USDC'), book.fiatUsd('EUR')]);
    pass(20);
    await book.usdPrice('ETH');
    expect([gecko.asked() - before[0], kraken.asked() - before[1]]).toEqual([1, 1]);
  });

  it('are returned after they expire while they are refreshed in the background', async () => {
    const { usd, pass } = openBook();
    await usd('ETH');
    gecko.prices.ethereum = '3000';
    kraken.prices.XETHZUSD = '3000';
    pass(60);
    expect(await usd('ETH')).toBe('2505');
    await expect.poll(() => usd('ETH'), { timeout: 10_000 }).toBe('3000');
  });

  it.each([
    ['a refusal', refuse(503)],
    ['too many requests', refuse(429, { 'retry-after': '10' })],
    ['another document', respondWith('{"status":{"error_code":429}}')],
    ['no JSON', respondWith('<html>')],
    ['prices that are none', respondWith('{"ethereum":{"usd":"much"}}')],
    ['a price of nothing', respondWith('{"ethereum":{"usd":0}}')],
    ['a broken connection', (response: ServerResponse) => response.destroy()],
  ])('ignore a source that responds with %s, and are unavailable without any', async (_name, answer) => {
    gecko.answer = answer;
    const { usd } = openBook();
    expect(await usd('ETH')).toBe('2510');
    kraken.answer = answer;
    await expect(openBook().usd('ETH')).rejects.toMatchObject(unavailable);
  });

  it('ignore a source that does not respond in time', async () => {
    gecko.answer = () => undefined;
    expect(await openBook().usd('ETH')).toBe('2510');
  });

  it('ignore a source that does not know the pair', async () => {
    kraken.answer = respondWith('{"error":["EQuery:Unknown asset pair"]}');
    const { usd, warnings } = openBook();
    expect(await usd('ETH')).toBe('2500');
    expect(warnings).toEqual(['A price source failed.']);
  });

  it('wait for a source as long as it requests', async () => {
    gecko.answer = refuse(429, { 'retry-after': '60' });
    const { book, pass } = openBook('coingecko');
    const before = gecko.asked();
    await expect(book.usdPrice('ETH')).rejects.toMatchObject(unavailable);
    gecko.answer = null;
    pass(59);
    await expect(book.usdPrice('ETH')).rejects.toMatchObject(unavailable);
    expect(gecko.asked() - before).toBe(1);
    pass(1);
    expect((await book.usdPrice('ETH')).priceUsd.toFixed()).toBe('2500');
  });

  it('are never returned stale without a log entry', async () => {
    const { usd, pass } = openBook();
    await usd('ETH');
    gecko.answer = refuse(503);
    kraken.answer = refuse(503);
    pass(119);
    expect(await usd('ETH')).toBe('2505');
    pass(2);
    await expect(usd('ETH')).rejects.toMatchObject(unavailable);
  });

  it('are unavailable if the sources disagree, which is logged', async () => {
    kraken.prices.XETHZUSD = '2600';
    const { usd, warnings } = openBook();
    await expect(usd('ETH')).rejects.toMatchObject(unavailable);
    await expect(usd('ETH')).rejects.toMatchObject(unavailable);
    expect(warnings).toEqual(['Price sources disagree: no price is given out.']);
    expect(await usd('USDC')).toBe('1');
  });

  it('are unavailable for unknown symbols', async () => {
    await expect(openBook().usd('NOPE')).rejects.toMatchObject(unavailable);
  });
});

describe('an agreed price', () => {
  const at = new Date(0);
  const of = (...prices: string[]) =>
    agreedPrice(
      prices.map((price, index) => ({ source: String(index), priceUsd: new Decimal(price), at })),
      1,
    )?.priceUsd.toFixed() ?? null;

  it('is the median of the sources close to it', () => {
    expect(of('100')).toBe('100');
    expect(of('100', '102')).toBe('101');
    expect(of('100', '103')).toBeNull();
    expect(of('100', '101', '150')).toBe('100.5');
    expect(of('100', '100.5', '101', '0.0001')).toBe('100.5');
    expect(of('100', '150', '200')).toBeNull();
    expect(of()).toBeNull();
  });
});

describe('the fixed table', () => {
  const book = fixedPrices({ clock: { now: () => new Date(0) } }, 'ETH=3000, FOO=0.5');

  it('extends the built-in one', async () => {
    expect((await book.usdPrice('ETH')).priceUsd.toString()).toBe('3000');
    expect((await book.usdPrice('foo')).priceUsd.toString()).toBe('0.5');
    expect((await book.usdPrice('USDC')).priceUsd.toString()).toBe('1');
    await expect(book.usdPrice('NOPE')).rejects.toMatchObject(unavailable);
  });

  it('rejects an invalid table', () => {
    const clock = { now: () => new Date(0) };
    for (const table of ['ETH', 'ETH=', 'ETH=-1', 'ETH=1e3'])
      expect(() => fixedPrices({ clock }, table)).toThrow(table);
  });
});
