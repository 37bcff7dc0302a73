/** The price of a coin for metrics, which must not wait. */
import { Decimal } from 'decimal.js';
import { afterEach, expect, it, vi } from 'vitest';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { type Price, priceUnavailable } from '../../src/prices/price-source.ts';
import { readCoinPrice } from '../../src/prices/read-coin-price.ts';

const coin = { symbol: 'ETH', decimals: 18 };
const faults: unknown[] = [];
const log: Log = { ...silentLog, error: (fields: unknown) => void faults.push(fields) };
const read = (usdPrice: (symbol: string) => Promise<Price>) => readCoinPrice({ prices: { usdPrice }, log }, { coin });

afterEach(() => {
  vi.useRealTimers();
  faults.length = 0;
});

it('is the price of its symbol', async () => {
  const priceUsd = new Decimal(2500);
  const price = await read(async (symbol) => {
    expect(symbol).toBe('ETH');
    return { priceUsd, cachedAt: new Date(0), sources: [] };
  });
  expect(price).toEqual({ priceUsd, decimals: 18 });
});

it('is null if it is unavailable', async () => {
  expect(await read(async () => Promise.reject(priceUnavailable('ETH')))).toBeNull();
  expect(faults).toEqual([]);
});

it('is null if the sources are slow', async () => {
  vi.useFakeTimers();
  const price = read(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await price).toBeNull();
});

it('is null after any other error, which is logged', async () => {
  expect(await read(async () => Promise.reject(new TypeError('A bug.')))).toBeNull();
  expect(faults).toMatchObject([{ symbol: 'ETH', err: expect.any(TypeError) }]);
});
