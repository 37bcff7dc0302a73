/** The Sui of `npm start`: a server of balances, read through the API. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { localSuiChain, localSuiHolders, startLocalSui } from '../../src/local/sui/local-sui.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const port = await freePort();
const node = await startLocalSui({ port });
onTeardown(node.stop);
const api = await openRestApi({ rpc: { 786: node.url }, chains: [localSuiChain()] });
const key = api.merchantA.publishableKey;
const [rich, poor] = localSuiHolders;

const ask = (query: Record<string, string>, credential: string | undefined = key) =>
  api.rest('GET', `/balance?${new URLSearchParams({ chainId: '786', ...query })}`, { key: credential });

describe('a balance on the local Sui', () => {
  it('contains the coin and the token, by key and by type', async () => {
    const coin = await ask({ address: poor.address });
    expect([coin.status, coin.body.data]).toMatchObject([
      200,
      { address: poor.address, token: 'native', tokenKey: 'SUI-786', balance: '2500000000', formatted: '2.5' },
    ]);
    const usdc = localSuiChain().tokens[0]?.address ?? '';
    const names: Record<string, string>[] = [{ tokenKey: 'USDC-786' }, { token: usdc }];
    for (const named of names) {
      const token = await ask({ address: rich.address, ...named, includePrice: 'true' });
      expect(token.body.data).toMatchObject({ symbol: 'USDC', decimals: 6, formatted: '1000000' });
      expect(token.body.data.price).toMatchObject({ valueFiat: '1000000.00' });
    }
  });

  it('is zero for other addresses and for unknown coin types', async () => {
    expect((await ask({ address: '0x7' })).body.data.balance).toBe('0');
    expect((await ask({ address: '0x7', token: '0xdead::meme::MEME' })).status).toBe(404);
  });

  it('requires a valid key and address of Sui', async () => {
    const headless = await api.rest('GET', `/balance?chainId=786&address=${rich.address}`);
    expect(headless.status).toBe(401);
    expect((await ask({ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8Z' })).status).toBe(400);
  });

  it('is unavailable after the server has ended, and two servers cannot share a port', async () => {
    await expect(startLocalSui({ port })).rejects.toThrow(ConfigError);
    await node.stop();
    const { status, body } = await ask({ address: rich.address });
    expect([status, body.error.code]).toEqual([502, 'CHAIN_UNAVAILABLE']);
  });
});
