/** The example's shop. */
import { expect, test } from 'vitest';
import { startShop, TOKEN } from './source-ground.ts';

test.each(['/orders/%E0', '/%E0', '//'])(
  'returns 400 for a URL that cannot be decoded, %s, and keeps running',
  async (path) => {
    const shop = await startShop();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const malformed = await fetch(`${shop.url}${path}`, { headers });
    expect(malformed.status).toBe(400);
    const order = await fetch(`${shop.url}/orders/4%2D2`, { headers });
    expect(await order.json()).toMatchObject({ id: '4-2' });
  },
);
