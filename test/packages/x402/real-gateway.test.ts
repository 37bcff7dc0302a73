/** Paid routes of a whole gateway on a real chain: API, worker and projector. */

import { x402Client as AxiosClient, wrapAxiosWithPayment } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch';
import axios from 'axios';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it, vi } from 'vitest';
import { buyForecasts } from '../../../examples/x402-api/client.ts';
import { openWeatherApi } from '../../../examples/x402-api/server.ts';
import { createBuyer, EscrowEvmScheme } from '../../../packages/x402/src/client/index.ts';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openRunningGateway } from '../../setup/gateway/running-gateway.ts';
import { listenExpress, receiptOf, stockClient, stockFetch } from './ground.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const gateway = await openRunningGateway({ environment: { RELAY_MINIMUM_USD_31337: '0' } });
const { evm } = gateway;
const x402 = createX402({ apiUrl: gateway.url, secretKey: gateway.key });
const [payer, second] = evm.payers;
const network = `eip155:${evm.chainId}`;
const url = await listenExpress((app) => {
  const both = x402.pay({ price: '0.01', description: 'Weather' });
  app.get('/weather/:city', both.express, (request, response) => void response.json({ city: request.params.city }));
  app.get('/fails', both.express, (_, response) => void response.status(500).json({}));
  const first = x402.pay({ price: '0.02', settle: 'before', schemes: ['escrow'] });
  app.get('/first', first.express, (_, response) => void response.json({ paid: true }));
});
const escrow = { escrows: [evm.escrow] };
const payments = async () => (await gateway.rest('GET', '/payments/intents')).body.data;
const withoutRow = async () => gateway.database.paymentIntent.count();

it('an unpaid call offers exact and escrow, and creates no row', async () => {
  const before = await withoutRow();
  const response = await fetch(`${url}/weather/berlin`);
  expect(response.status).toBe(402);
  const { accepts } = await response.json();
  const offered = accepts.map((one: { scheme: string; extra: { refundable: boolean } }) => [
    one.scheme,
    one.extra.refundable,
  ]);
  expect(offered).toContainEqual(['exact', false]);
  expect(offered).toContainEqual(['escrow', true]);
  expect(await withoutRow()).toBe(before);
});

it('an unmodified x402Client pays with the scheme escrow, and the payment is an intent', async () => {
  const client = stockClient(payer.privateKey).register(
    'eip155:*',
    new EscrowEvmScheme(privateKeyToAccount(payer.privateKey), escrow),
  );
  client.registerPolicy((_, offers) => offers.filter(({ scheme }) => scheme === 'escrow'));
  const buy = wrapFetchWithPayment(fetch, client);
  const response = await buy(`${url}/weather/berlin`);
  expect(await response.json()).toEqual({ city: 'berlin' });
  expect(receiptOf(response)).toMatchObject({ success: true, network, payer: payer.address });
  const [intent] = await payments();
  expect(intent).toMatchObject({
    sourceType: null,
    amount: '0.01',
    authorizationWalletAddress: payer.address,
    x402: { resource: `${url}/weather/berlin`, scheme: 'escrow', network },
  });
});

it('an unmodified @x402/fetch pays the merchant directly with the scheme exact', async () => {
  const response = await stockFetch(payer.privateKey)(`${url}/weather/rome`);
  expect(await response.json()).toEqual({ city: 'rome' });
  expect(receiptOf(response)).toMatchObject({ success: true, network, payer: payer.address });
  const [intent] = await payments();
  expect(intent).toMatchObject({ amount: '0.01', x402: { resource: `${url}/weather/rome`, scheme: 'exact' } });
});

it('an unmodified @x402/axios pays for a route', async () => {
  const client = new AxiosClient().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(payer.privateKey)));
  const response = await wrapAxiosWithPayment(axios.create(), client).get(`${url}/weather/oslo`);
  expect(response.data).toEqual({ city: 'oslo' });
  const receipt = decodePaymentResponseHeader(response.headers['payment-response']);
  expect(receipt).toMatchObject({ success: true, network, payer: payer.address });
  const [intent] = await payments();
  expect(intent).toMatchObject({ amount: '0.01', x402: { resource: `${url}/weather/oslo`, scheme: 'exact' } });
});

it('a buyer pays for the same route several times, and each payment buys one response', async () => {
  const buyer = createBuyer({
    signer: privateKeyToAccount(second.privateKey),
    budget: { perCall: '0.02', perDay: '1', hosts: [url], tokens: [{ network, asset: evm.usdc.address, decimals: 6 }] },
    escrow,
  });
  const headers: string[] = [];
  const sign = buyer.sign;
  for (const _ of [1, 2]) {
    const offer = await fetch(`${url}/first`);
    const signed = await sign(await offer.json(), { url: `${url}/first`, method: 'GET' });
    headers.push(signed.header);
  }
  const send = (header: string) => fetch(`${url}/first`, { headers: { 'payment-signature': header } });
  const [one, other] = await Promise.all(headers.map(send));
  expect([one?.status, other?.status]).toEqual([200, 200]);
  const again = await send(headers[0] ?? '');
  expect(again.status).toBe(402);
  expect((await again.json()).error).toBe('authorization_used');
});

it('a call whose handler fails is not charged', async () => {
  const before = await withoutRow();
  const client = stockClient(payer.privateKey).register(
    'eip155:*',
    new EscrowEvmScheme(privateKeyToAccount(payer.privateKey), escrow),
  );
  client.registerPolicy((_, offers) => offers.filter(({ scheme }) => scheme === 'escrow'));
  const response = await wrapFetchWithPayment(fetch, client)(`${url}/fails`);
  expect(response.status).toBe(500);
  expect(await withoutRow()).toBe(before);
});

it('the example sells two forecasts to its client', async () => {
  const api = await listenExpress(
    (app) => void app.use(openWeatherApi({ apiUrl: gateway.url, secretKey: gateway.key })),
  );
  const { usdc } = evm;
  const chain = { chainId: evm.chainId, rpcUrl: evm.rpcUrl, escrow: evm.escrow, tokens: [usdc] };
  const bought = await buyForecasts(api, { payer, chain });
  expect(bought.forecasts).toEqual([
    { city: 'berlin', degrees: 16 },
    { city: 'lisbon', degrees: 16 },
  ]);
  expect(bought.receipts.map(({ status }) => status)).toEqual(['charged', 'charged']);
});
