/**
 * A small shop whose service openapi.json describes: `node examples/shop-orders/server.ts`. It listens on SHOP_PORT (4100), takes
 * the bearer token SHOP_TOKEN, and prints each request.
 */
import { createServer, type RequestListener } from 'node:http';

type Order = {
  id: string;
  state: 'PLACED' | 'PACKED' | 'SHIPPED';
  placedAt: string;
  trackingUrl?: string;
  lines: { sku: string; title: string; quantity: number }[];
};

const orders: Order[] = [
  { id: '41', state: 'PLACED', placedAt: '2026-11-20T09:30:00Z', lines: [{ sku: 'MUG', title: 'A mug', quantity: 2 }] },
  {
    id: '42',
    state: 'SHIPPED',
    placedAt: '2026-11-21T10:00:00Z',
    trackingUrl: 'https://carrier.example/42',
    lines: [
      { sku: 'TEE', title: 'A T-shirt', quantity: 1 },
      { sku: 'CAP', title: 'A cap', quantity: 3 },
    ],
  },
];

/** Answers as openapi.json says. `ordersOf`: the orders of these numbers. */
export function shopListener(
  { token }: { token: string },
  ordersOf = (ids: string[]): Order[] => orders.filter(({ id }) => ids.includes(id)),
): RequestListener {
  return (request, response) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const asked = parsed(request.url ?? '/');
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, { error: 'The token is wrong.' });
    if (request.method !== 'GET') return send(405, { error: 'Orders are read only.' });
    if (!asked) return send(400, { error: 'The URL is malformed.' });
    const { path, ids } = asked;
    if (path === '/orders') return send(200, { items: ordersOf(ids) });
    const id = /^\/orders\/(.+)$/.exec(path)?.[1];
    const [order] = id === undefined ? [] : ordersOf([id]);
    return order ? send(200, order) : send(404, { error: 'No such order.' });
  };
}

/** The decoded path and the numbers of a URL; null for one that cannot be decoded. */
function parsed(url: string): { path: string; ids: string[] } | null {
  try {
    const { pathname, searchParams } = new URL(url, 'http://shop');
    return { path: decodeURIComponent(pathname), ids: searchParams.getAll('ids') };
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const token = process.env.SHOP_TOKEN;
  if (!token) throw new Error('SHOP_TOKEN is not set.');
  const answer = shopListener({ token });
  const port = Number(process.env.SHOP_PORT ?? 4100);
  createServer((request, response) => {
    console.log(`${request.method} ${request.url}`);
    answer(request, response);
  }).listen(port, '127.0.0.1', () => console.log(`The shop listens at http://127.0.0.1:${port}`));
}
