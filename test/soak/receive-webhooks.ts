import { createServer } from 'node:http';
import type { Demo } from '../../src/local/demo-file.ts';
import type { Observations } from './observations.ts';

/** One of this many deliveries is rejected, so that it is retried. */
const REFUSED_EVERY = 50;

/** Creates an endpoint for each app, with a receiver in this process that measures the time from event to delivery. */
export async function receiveWebhooks({
  apps,
  observations,
}: {
  apps: readonly Demo[];
  observations: Observations;
}): Promise<{ stop(): void }> {
  let received = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received += 1;
      const isRefused = received % REFUSED_EVERY === 0;
      response.writeHead(isRefused ? 503 : 204).end();
      const { timestamp } = JSON.parse(body);
      if (!isRefused && typeof timestamp === 'string') {
        observations.took('event → webhook', Date.now() - Date.parse(timestamp));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (const { restUrl, appId, secretKey } of apps) {
    const answer = await fetch(`${restUrl}/apps/${appId}/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ['*'] }),
    });
    if (!answer.ok) throw new Error(`No webhook endpoint was made: ${await answer.text()}`);
  }
  return {
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
