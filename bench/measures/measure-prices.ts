import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from '../bench.ts';
import { type Call, type Load, runLoad } from '../load/load.ts';
import { forkServer } from '../servers/fork-server.ts';
import { openOwnApi } from '../servers/open-own-api.ts';

const asked: [name: string, query: string][] = [
  ['spot price', 'asset=ETH'],
  ['10 EUR in tokens', 'asset=ETH-31337&amountFiat=10&currency=EUR'],
];

/** `GET /prices` from the market cache, compared with a server that returns the same bytes without any logic. */
export async function measurePrices({ installation, sizes, print }: Bench): Promise<string> {
  const market = await openMarket();
  const api = await openOwnApi(installation, {
    PRICE_SOURCE: 'market',
    COINGECKO_URL: `${market.url}/api/v3`,
    KRAKEN_URL: market.url,
  }).catch(async (error: unknown) => {
    await market.stop();
    throw error;
  });
  const rows: string[] = [];
  try {
    for (const [name, query] of asked) {
      const call: Call = { url: `${api.url}/prices?${query}`, method: 'GET' };
      const body = await (await fetch(call.url)).text();
      const bare = await forkServer('bare-bytes.ts', { BODY: body });
      try {
        const bareLoad = await runLoad({ url: bare.url, method: 'GET' }, sizes);
        rows.push(row(name, 'bare', bareLoad, bareLoad), row(name, 'REST', await runLoad(call, sizes), bareLoad));
      } finally {
        bare.stop();
      }
      print(rows.slice(-2).join('\n'));
    }
  } finally {
    await api.stop();
    await market.stop();
  }
  const table = `| GET /prices, ${sizes.connections} connections | by | requests/s | p50 ms | p99 ms | requests/s, of bare |\n|---|---|---:|---:|---:|---:|\n${rows.join('\n')}`;
  return `${table}\n\nMeanwhile the two price sources were asked ${market.asked()} times in all.`;
}

function row(name: string, by: string, load: Load, bare: Load): string {
  const share = (load.perSecond / bare.perSecond).toFixed(2);
  return `| ${name} | ${by} | ${load.perSecond.toFixed(0)} | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} | ${share} |`;
}

/** Responds like CoinGecko and Kraken, with prices that agree. */
async function openMarket() {
  let requests = 0;
  const answers: Record<string, string> = {
    '/api/v3/simple/price': '{"ethereum":{"usd":2500.12345678},"usd-coin":{"usd":0.9998,"eur":0.9089}}',
    '/0/public/Ticker':
      '{"error":[],"result":{"XETHZUSD":{"c":["2500.20","1"]},"USDCUSD":{"c":["0.9999","1"]},"ZEURZUSD":{"c":["1.10000","1"]}}}',
  };
  const server = createServer((request, response) => {
    requests += 1;
    const answer = answers[new URL(request.url ?? '/', 'http://localhost').pathname];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => requests, stop };
}
