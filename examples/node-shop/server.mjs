/**
 * A shop in plain Node: `node examples/node-shop/server.mjs`. It creates a checkout session for each order, shows the checkout in its own page, and
 * marks an order as paid when the payment's event arrives. It listens on SHOP_PORT (3000).
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { createSluice, SluiceError } from '@sluice/sdk';
import { dataFile, listen, readDemo } from '../demo.mjs';

const { restUrl: baseUrl, secretKey: apiKey } = readDemo();
const port = Number(process.env.SHOP_PORT ?? 3000);
const origin = `http://localhost:${port}`;
const sluice = createSluice({ baseUrl, apiKey });

const products = {
  tea: { name: 'Green tea, 100 g', amount: '12.50' },
  cup: { name: 'Stoneware cup', amount: '24.00' },
};

/** Orders, and the sequence number of the last event that they reflect. Both are in one file, so that they never contradict each other. */
const file = dataFile('node-shop.json');
const shop = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { sequence: await sluice.events.newestSequence(), orders: {} };

function save() {
  writeFileSync(`${file}.new`, JSON.stringify(shop, null, 2));
  renameSync(`${file}.new`, file);
}

async function placeOrder({ product }) {
  const item = Object.hasOwn(products, product) ? products[product] : undefined;
  if (!item) return [400, { error: 'There is no such product.' }];
  const id = randomUUID();
  // The browser chooses a product, and the price comes from here.
  const session = await sluice.checkoutSessions.create(
    { items: [item], metadata: { orderId: id } },
    { idempotencyKey: `order-${id}` },
  );
  const { id: sessionId, clientSecret, paymentIntentId } = session;
  shop.orders[id] = { id, ...item, state: 'OPEN', paymentIntentId };
  save();
  return [200, { orderId: id, sessionId, clientSecret, paymentIntentId, baseUrl }];
}

/** The browser's own report of a payment proves nothing. These events come from the gateway, in order, and none is missed. */
async function followPayments() {
  const states = { 'payment_intent.captured': 'PAID', 'payment_intent.refunded': 'REFUNDED' };
  for await (const event of sluice.events.follow({ after: shop.sequence, types: Object.keys(states) })) {
    const order = Object.values(shop.orders).find(({ paymentIntentId }) => paymentIntentId === event.data.id);
    if (order) {
      order.state = states[event.type];
      console.log(`Order ${order.id} is ${order.state}.`);
    }
    shop.sequence = event.sequence;
    save();
  }
}

/** Only pages of listed origins may frame the checkout. A real shop lists its origin once, in the dashboard. */
async function allowOwnPage() {
  const { app } = await graphql('{ app { embedOrigins } }');
  if (app.embedOrigins.includes(origin)) return;
  await graphql('mutation ($origins: [String!]) { updateApp(input: { embedOrigins: $origins }) { embedOrigins } }', {
    origins: [...app.embedOrigins, origin],
  });
}

async function graphql(query, variables) {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const folders = [new URL('public/', import.meta.url), new URL('.', import.meta.resolve('@sluice/checkout'))];

/** A file of the page, or of the checkout package at /checkout/. */
async function readPublic(path) {
  const [, inPackage, name] =
    /^\/(checkout\/)?([\w-]+\.(?:html|js|css))$/.exec(path === '/' ? '/index.html' : path) ?? [];
  if (name === undefined) return undefined;
  const content = await readFile(new URL(name, folders[inPackage ? 1 : 0])).catch(() => undefined);
  return content && { content, type: types[extname(name)] };
}

async function readJson(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) return undefined;
  }
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

async function answer(request) {
  const { pathname } = new URL(request.url ?? '/', origin);
  if (request.method === 'POST' && pathname === '/orders') {
    const body = await readJson(request);
    return body ? await placeOrder(body) : [400, { error: 'The body is not JSON.' }];
  }
  const id = /^\/orders\/([\w-]+)$/.exec(pathname)?.[1];
  if (id === undefined) return [404, { error: 'There is no such page.' }];
  const order = Object.hasOwn(shop.orders, id) ? shop.orders[id] : undefined;
  return order ? [200, order] : [404, { error: 'There is no such order.' }];
}

const server = createServer(async (request, response) => {
  try {
    const found = request.method === 'GET' ? await readPublic(request.url ?? '/') : undefined;
    if (found) {
      const policy = `default-src 'self'; frame-src ${new URL(baseUrl).origin}`;
      response.writeHead(200, { 'content-type': found.type, 'content-security-policy': policy }).end(found.content);
      return;
    }
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  } catch (error) {
    console.error(error);
    const isAway = error instanceof SluiceError && error.retryable;
    const message = isAway ? 'Payments are not available right now. Please try again.' : 'The order failed.';
    response.writeHead(isAway ? 503 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: message }));
  }
});

await allowOwnPage();
await listen(server, { port, variable: 'SHOP_PORT' });
console.log(`The shop is at ${origin}. Ctrl-C stops it.`);
await followPayments();
