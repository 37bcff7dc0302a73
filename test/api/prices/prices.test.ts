import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
beforeAll(async () => {
  api = await openRestApi();
});

const ask = async (query: string) => {
  const { status, body } = await api.rest('GET', `/prices?${query}`);
  return { status, data: body.data };
};

describe('GET /prices', () => {
  it('returns a spot price without a credential, by key, symbol or contract', async () => {
    const { status, data } = await ask('asset=ETH-31337');
    expect(status).toBe(200);
    expect(data).toMatchObject({
      asset: 'ETH-31337',
      symbol: 'ETH',
      currency: 'USD',
      priceFiat: 2500,
    });
    expect(Object.keys(data).sort()).toEqual(['asset', 'cachedAt', 'currency', 'priceFiat', 'symbol']);
    expect((await ask('asset=eth')).data).toMatchObject({ asset: 'ETH', priceFiat: 2500 });
    const usdc = api.world.registry.token('USDC-1');
    expect((await ask(`asset=${usdc?.address.toLowerCase()}-1`)).data).toMatchObject({ asset: 'USDC-1', priceFiat: 1 });
  });

  it('converts fiat to tokens, rounded up to the token’s decimals, and back to cents', async () => {
    expect((await ask('asset=ETH-31337&amountFiat=10')).data).toMatchObject({ amountFiat: 10, tokenAmount: '0.004' });
    expect(Object.keys((await ask('asset=ETH-31337&amountFiat=10')).data)).toHaveLength(7);
    expect((await ask('asset=USDC-1&amountFiat=10&currency=EUR')).data).toMatchObject({
      currency: 'EUR',
      tokenAmount: '11',
    });
    expect((await ask('asset=ETH-31337&amountFiat=0.01&currency=EUR')).data.tokenAmount).toBe('0.0000044');
    expect((await ask('asset=ETH-31337&tokenAmount=0.3333')).data).toMatchObject({
      tokenAmount: '0.3333',
      amountFiat: 833.25,
    });
  });

  it('truncates amounts beyond the token’s decimals, and keeps every other digit', async () => {
    const { status, data } = await ask('asset=ETH-31337&tokenAmount=1.1234567890123456789');
    expect(status).toBe(200);
    expect(data).toMatchObject({ tokenAmount: '1.123456789012345678', amountFiat: 2808.64 });
    const large = await ask('asset=ETH-31337&tokenAmount=123456789012.123456789012345678');
    expect(large.data.tokenAmount).toBe('123456789012.123456789012345678');
  });

  it.each([
    ['asset=NOPE', 404],
    ['asset=0x0000000000000000000000000000000000000001-1', 404],
    ['asset=USDC-999999', 404],
    ['', 400],
    ['asset=USDC-1&currency=GBP', 400],
    ['asset=USDC-1&amountFiat=1&tokenAmount=1', 400],
    ['asset=USDC-1&amountFiat=0', 400],
    ['asset=USDC-1&amountFiat=-1', 400],
    ['asset=USDC-1&amountFiat=1e3', 400],
    ['asset=USDC-1&tokenAmount=0.0000001', 400],
    ['asset=USDC-1&amountFiat=1.001', 400],
    ['asset=USDC-1&amountFiat=1000000000000', 400],
    ['asset=USDC-1&when=now', 400],
  ])('responds to "%s" with %i', async (query, status) => {
    expect((await ask(query)).status).toBe(status);
  });

  it('accepts a publishable key', async () => {
    const answer = await api.rest('GET', '/prices?asset=USDC-1', { key: api.merchantA.publishableKey });
    expect(answer.status).toBe(200);
  });
});
