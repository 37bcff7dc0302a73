/**
 * A webhook receiver in Hono: `node examples/hono-receiver/server.mjs`. It registers itself with the demo app, listens on RECEIVER_PORT (3002), and
 * prints every event once and in order, including those that occurred while it was not running.
 */
import { createAdaptorServer } from '@hono/node-server';
import { createSluice } from '@sluice/sdk';
import { createReceiver } from '@sluice/sdk/receiver';
import { fileStore } from '@sluice/sdk/receiver/file';
import { Hono } from 'hono';
import { dataFile, endpointSecret, listen, readDemo } from '../demo.mjs';

const { restUrl, secretKey, appId } = readDemo();
const port = Number(process.env.RECEIVER_PORT ?? 3002);
const url = `http://127.0.0.1:${port}/webhooks`;
const sluice = createSluice({ baseUrl: restUrl, apiKey: secretKey });

const receiver = createReceiver({
  sluice,
  secret: await endpointSecret(sluice, { appId, url }),
  // A file is enough for one process. Use postgresStore where the orders are in Postgres: then each event is handled exactly once.
  store: fileStore(dataFile('hono-receiver.json')),
  handle: async (event) => {
    console.log(`#${event.sequence} ${event.type} ${event.data.externalId ?? event.data.id ?? ''}`);
  },
});

const app = new Hono();
app.post('/webhooks', (context) => receiver.fetch(context.req.raw));

await listen(createAdaptorServer({ fetch: app.fetch }), { port, variable: 'RECEIVER_PORT' });
console.log(`The receiver listens at ${url}. Ctrl-C stops it.`);
// The receiver has reported the error, and retries automatically.
await receiver.catchUp().catch(() => undefined);
