/** Local servers that respond like CoinGecko and Kraken, with the prices that a test sets. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTeardown } from '../teardown.ts';

export type PriceServer = {
  url: string;
  /** The number of requests received. */
  asked(): number;
  /** Prices in USD by the source's own name of the asset. They are returned unchanged. */
  prices: Record<string, string>;
  /** Answers the next requests instead of the prices. Null to return prices. */
  answer: ((response: ServerResponse) => void) | null;
};

/** Asset names are `ethereum` and `usd-coin`. `eur` is the price of a euro in `usd-coin`. */
export function openCoinGecko(): Promise<PriceServer> {
  return openServer('/api/v3/simple/price', 'ids', (prices) => {
    const coins = Object.entries(prices).filter(([name]) => name !== 'eur');
    const quotes = coins.map(
      ([name, usd]) => `"${name}":{"usd":${usd}${name === 'usd-coin' ? `,"eur":${prices.eur}` : ''}}`,
    );
    return `{${quotes.join(',')}}`;
  });
}

/** Asset names are `XETHZUSD` and `ZEURZUSD`. */
export function openKraken(): Promise<PriceServer> {
  return openServer('/0/public/Ticker', 'pair', (prices) => {
    const tickers = Object.entries(prices).map(([pair, usd]) => [
      pair,
      { a: [usd, '1', '1.0'], b: [usd, '1', '1.0'], c: [usd, '0.5'], v: ['1', '2'], o: usd },
    ]);
    return JSON.stringify({ error: [], result: Object.fromEntries(tickers) });
  });
}

async function openServer(
  path: string,
  parameter: string,
  print: (prices: Record<string, string>) => string,
): Promise<PriceServer> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (opened.answer) return opened.answer(response);
    const isRight = url.pathname === path && (url.searchParams.get(parameter) ?? '') !== '';
    response.writeHead(isRight ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isRight ? print(opened.prices) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const opened: PriceServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path.startsWith('/api') ? '/api/v3' : ''}`,
    asked: () => asked,
    prices: {},
    answer: null,
  };
  return opened;
}
