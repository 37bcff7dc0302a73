/** Local servers that answer as CoinGecko and Kraken do, for what they are told. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTeardown } from '../teardown.ts';

export type PriceServer = {
  url: string;
  /** Requests that came. */
  asked(): number;
  /** USD by the source's own name of an asset, written as they are. */
  prices: Record<string, string>;
  /** How the next requests are answered in place of prices; null for prices. */
  answer: ((response: ServerResponse) => void) | null;
};

/** Names: `ethereum`, `usd-coin`; a euro is worth what `eur` says of a `usd-coin`. */
export function openCoinGecko(): Promise<PriceServer> {
  return openServer('/api/v3/simple/price', 'ids', (prices) => {
    const coins = Object.entries(prices).filter(([name]) => name !== 'eur');
    const quotes = coins.map(
      ([name, usd]) => `"${name}":{"usd":${usd}${name === 'usd-coin' ? `,"eur":${prices.eur}` : ''}}`,
    );
    return `{${quotes.join(',')}}`;
  });
}

/** Names: `XETHZUSD`, `ZEURZUSD`. */
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
