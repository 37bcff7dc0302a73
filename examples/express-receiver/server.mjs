/**
 * A webhook receiver in Express: `node examples/express-receiver/server.mjs`. It registers itself with the demo app, listens on RECEIVER_PORT (3001), and
 * prints every event once and in order, including those that occurred while it was not running.
 */
import { createServer } from 'node:http';
import { createSluice } from '@sluice/sdk';
import { createReceiver } from '@sluice/sdk/receiver';
import { fileStore } from '@sluice/sdk/receiver/file';
import express from 'express';
import { dataFile, endpointSecret, listen, readDemo } from '../demo.mjs';

const { restUrl, secretKey, appId } = readDemo();
const port = Number(process.env.RECEIVER_PORT ?? 3001);
const url = `http://127.0.0.1:${port}/webhooks`;
const sluice = createSluice({ baseUrl: restUrl, apiKey: secretKey });

const receiver = createReceiver({
  sluice,
  secret: await endpointSecret(sluice, { appId, url }),
  // A file is enough for one process. Use postgresStore where the orders are in Postgres: then each event is handled exactly once.
  store: fileStore(dataFile('express-receiver.json')),
  handle: async (event) => {
    console.log(`#${event.sequence} ${event.type} ${event.data.externalId ?? event.data.id ?? ''}`);
  },
});

const app = express();
// Before express.json(): the signature is that of the raw body.
app.post('/webhooks', receiver.express);
app.use(express.json());

await listen(createServer(app), { port, variable: 'RECEIVER_PORT' });
console.log(`The receiver listens at ${url}. Ctrl-C stops it.`);
// The receiver has reported the error, and retries automatically.
await receiver.catchUp().catch(() => undefined);
