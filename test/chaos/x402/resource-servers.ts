/** The servers of a merchant who sells calls. They run in one process, but share only their public address, as separate processes would. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createX402 } from '../../../packages/x402/src/index.ts';

export type ResourceServers = {
  /** Each of them serves every route. */
  origins: readonly string[];
  routes: readonly string[];
  /** The number of errors of the gateway that the middleware reported, by message. */
  complaints: ReadonlyMap<string, number>;
  close(): void;
};

const PUBLIC_URL = 'http://forecasts.example';
const CITIES = 10;
/** The maximum that the gateway allows, so that a payment removed by a reorganization can be sent again. */
const LONGEST_TIMEOUT_SECONDS = 300;

export async function openResourceServers(
  gateway: { apiUrl: string; secretKey: string; network: string },
  { count }: { count: number },
): Promise<ResourceServers> {
  const complaints = new Map<string, number>();
  const { apiUrl, secretKey, network } = gateway;
  const open = async () => {
    const x402 = createX402({
      apiUrl,
      secretKey,
      publicUrl: PUBLIC_URL,
      onError: (error) => {
        const text = error instanceof Error ? error.message : String(error);
        complaints.set(text, (complaints.get(text) ?? 0) + 1);
      },
    });
    const offer = { networks: [network], maxTimeoutSeconds: LONGEST_TIMEOUT_SECONDS };
    const app = express();
    const after = x402.pay({ ...offer, price: '0.01', settle: 'after' });
    const before = x402.pay({ ...offer, price: '0.02', settle: 'before' });
    app.get('/after/:city', after.express, (request, response) => void response.json({ city: request.params.city }));
    app.get('/before/:city', before.express, (request, response) => void response.json({ city: request.params.city }));
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const servers = await Promise.all(Array.from({ length: count }, open));
  const cities = Array.from({ length: CITIES }, (_, index) => `city-${index}`);
  return {
    origins: servers.map(({ origin }) => origin),
    routes: cities.flatMap((city) => [`/after/${city}`, `/before/${city}`]),
    complaints,
    close() {
      for (const { server } of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
