/** Servers of paid routes, and the stock client. */
import type { AddressInfo } from 'node:net';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import express, { type Express } from 'express';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { onTeardown } from '../../setup/teardown.ts';

/** Unmodified except for its spend controls, which do not know the test tokens. */
export function stockClient(privateKey: Hex): x402Client {
  return new x402Client()
    .register('eip155:*', new ExactEvmScheme(privateKeyToAccount(privateKey)))
    .setSpendControls({ allowedAssets: true });
}

export function stockFetch(privateKey: Hex): typeof fetch {
  return wrapFetchWithPayment(fetch, stockClient(privateKey)) as typeof fetch;
}

export async function listenExpress(route: (app: Express) => void): Promise<string> {
  const app = express();
  route(app);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function receiptOf(response: Response) {
  return decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
}
