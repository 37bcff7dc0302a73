/** A paid weather API, and its first customer: `node examples/x402-api/server.ts` beside `npm start`. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { createX402 } from '../../packages/x402/src/index.ts';
import { buyForecasts } from './client.ts';

const PORT = 4402;

export function openWeatherApi(gateway: { apiUrl: string; secretKey: string }) {
  const x402 = createX402(gateway);
  const paid = x402.pay({
    price: '0.01',
    currency: 'USD',
    description: 'The weather of a city',
    mimeType: 'application/json',
    discovery: { output: { example: { city: 'berlin', degrees: 21 } } },
  });
  const app = express();
  app.get('/', (_, response) => void response.json({ weather: '/weather/:city', price: '0.01 USD' }));
  app.get('/weather/:city', paid.express, (request, response) => {
    const city = String(request.params.city);
    response.json({ city, degrees: 10 + (city.length % 20) });
  });
  return app;
}

async function main(): Promise<void> {
  const file = join(import.meta.dirname, '../../.local/demo.json');
  const demo = JSON.parse(readFileSync(file, 'utf8'));
  const app = openWeatherApi({ apiUrl: demo.restUrl, secretKey: demo.secretKey });
  const server = await new Promise<Server>((resolve) => {
    const opened = app.listen(PORT, '127.0.0.1', () => resolve(opened));
  });
  const bought = await buyForecasts(`http://localhost:${PORT}`, { payer: demo.payers[0], chain: demo.chains[0] });
  console.log(bought.forecasts);
  for (const { scheme, amount, transaction } of bought.receipts)
    console.log(`${scheme}: ${amount} base units, ${transaction}`);
  if (!process.argv.includes('--serve')) server.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
