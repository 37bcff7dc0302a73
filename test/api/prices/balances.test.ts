import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localChain } from '../../../src/local/local-chains.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { openEvm, type TestEvm } from '../../setup/chains/evm.ts';
import { openSolanaAccounts } from '../../setup/chains/solana-accounts.ts';
import { openSui, type TestSui } from '../../setup/chains/sui.ts';

const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const NOBODY = '0x00000000000000000000000000000000DeaDBeef';
const OWNER = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW';
const USDC_MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const STRANGE_MINT = 'HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3';
const EXTENDED_MINT = '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo';
const ALICE = `0x${'a11ce'.padStart(64, '0')}`;
const SUI_USDC = '0xa1ec7fc00a6f40db9693ad1415d0c193ad3906494428cf252621037bd7117e29::usdc::USDC';
const MEME = `0x${'beef'.padStart(64, '0')}::meme::MEME`;
const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;

let evm: TestEvm;
let api: RestApi;
let sui: TestSui;
let solana: Awaited<ReturnType<typeof openSolanaAccounts>>;
/** Accepts requests and never responds. */
const silent = createServer(() => undefined);

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  [evm, sui, solana] = await Promise.all([openEvm(), openSui(), openSolanaAccounts()]);
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  api = await openRestApi({
    rpc: { [evm.chainId]: evm.rpcUrl, 1: silentUrl, 103: solana.url, 101: silentUrl, 785: sui.url, 784: silentUrl },
    chains: [localChain(evm.chainId)],
    environment: { BALANCE_TIMEOUT_MS: '4000', PRICE_TABLE: 'USDC=0.98,ETH=2500,SOL=150,SUI=3,EUR=1.25' },
  });
  solana.setLamports(OWNER, 1_500_000_000);
  solana.putMint(USDC_MINT, { decimals: 6 });
  solana.setTokens(OWNER, USDC_MINT, 2_500_000n);
  solana.putMint(STRANGE_MINT, { decimals: 5, symbol: 'WIF\u202E' });
  solana.setTokens(OWNER, STRANGE_MINT, 77n);
  solana.putMint(EXTENDED_MINT, { decimals: 2, extended: true });
  solana.setTokens(OWNER, EXTENDED_MINT, 5n, true);
  sui.balances.set(`${ALICE} ${SUI}`, 3_000_000_000n);
  sui.balances.set(`${ALICE} ${SUI_USDC}`, 25_000_000n);
  sui.balances.set(`${ALICE} ${MEME}`, 9n);
  sui.coins.set(MEME, { decimals: 1, symbol: 'MEME' });
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

const key = () => api.merchantA.publishableKey;
const ask = async (
  query: Record<string, string | number | boolean | undefined>,
  credential: string | undefined = key(),
) => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return await api.rest('GET', `/balance?${search}`, { key: credential });
};
const batch = (body: unknown, credential: string | undefined = key()) =>
  api.rest('POST', '/balance/batch', { key: credential, body });
const payer = () => evm.payers[0].address;

describe('GET /balance', () => {
  it('returns the balance of an EVM coin and token, by key, by contract in any case, or by both', async () => {
    const coin = await ask({ chainId: evm.chainId, address: payer().toLowerCase() });
    expect(coin.body.data).toEqual({
      chainId: evm.chainId,
      address: payer(),
      token: 'native',
      tokenKey: 'ETH-31337',
      symbol: 'ETH',
      decimals: 18,
      balance: expect.stringMatching(/^\d{19,}$/),
      formatted: expect.stringMatching(/^\d+(\.\d+)?$/),
    });
    expect(coin.body.data).not.toHaveProperty('price');
    const onChain = await evm.publicClient.getBalance({ address: payer() });
    expect(coin.body.data.balance).toBe(onChain.toString());
    for (const named of [
      { tokenKey: evm.usdc.key },
      { token: evm.usdc.address.toLowerCase() },
      { token: evm.usdc.address, tokenKey: evm.usdc.key },
    ]) {
      const { body } = await ask({ chainId: evm.chainId, address: payer(), ...named });
      expect(body.data).toMatchObject({
        token: evm.usdc.address,
        tokenKey: evm.usdc.key,
        symbol: 'USDC',
        decimals: 6,
        balance: '1000000000000',
        formatted: '1000000',
      });
    }
  });

  it('returns the value on request, in the requested currency', async () => {
    const asked = { chainId: evm.chainId, address: payer(), tokenKey: evm.usdc.key, includePrice: true };
    expect((await ask(asked)).body.data.price).toEqual({
      currency: 'USD',
      priceFiat: 0.98,
      valueFiat: '980000.00',
      cachedAt: expect.any(String),
    });
    const euros = await ask({ ...asked, currency: 'EUR' });
    expect(euros.body.data.price).toMatchObject({ currency: 'EUR', priceFiat: 0.784, valueFiat: '784000.00' });
  });

  it('accepts the address and the contract in any case, and returns them with checksums', async () => {
    const wrongCase = (text: string) =>
      `0x${text
        .slice(2)
        .toLowerCase()
        .replace(/[a-f]/, (digit) => digit.toUpperCase())}`;
    for (const write of [wrongCase, (text: string) => text.toLowerCase(), (text: string) => text]) {
      const asked = { chainId: evm.chainId, address: write(payer()), token: write(evm.usdc.address) };
      const { status, body } = await ask(asked);
      expect([status, body.data]).toMatchObject([200, { address: payer(), tokenKey: evm.usdc.key }]);
      const together = (await batch({ items: [asked] })).body.data.items;
      expect(together).toMatchObject([{ ok: true, address: payer(), token: evm.usdc.address }]);
    }
  });

  it('returns Solana, Token and Token-2022 balances of any mint, and zero without an account', async () => {
    const of = async (query: object) => (await ask({ chainId: 103, address: OWNER, ...query })).body.data;
    expect(await of({})).toMatchObject({ tokenKey: 'SOL-103', balance: '1500000000', formatted: '1.5' });
    expect(await of({ tokenKey: 'USDC-103' })).toMatchObject({ token: USDC_MINT, balance: '2500000', decimals: 6 });
    const strange = await of({ token: STRANGE_MINT, includePrice: true });
    expect(strange).toMatchObject({ tokenKey: null, symbol: 'WIF', decimals: 5, formatted: '0.00077' });
    expect(strange).not.toHaveProperty('price');
    expect(await of({ token: EXTENDED_MINT })).toMatchObject({ symbol: null, balance: '5', formatted: '0.05' });
    const poor = await ask({ chainId: 103, address: USDC_MINT.replace(/^4/, '5'), tokenKey: 'USDC-103' });
    expect(poor.body.data).toMatchObject({ balance: '0', formatted: '0' });
  });

  it('returns Sui coins by type in any form, including unregistered ones', async () => {
    const of = async (query: object) => (await ask({ chainId: 785, address: '0xA11CE', ...query })).body.data;
    for (const named of [{}, { token: '0x2::sui::SUI' }, { token: SUI }, { tokenKey: 'SUI-785' }]) {
      expect(await of(named)).toMatchObject({ address: ALICE, token: 'native', balance: '3000000000', formatted: '3' });
    }
    expect(await of({ token: SUI_USDC })).toMatchObject({ tokenKey: 'USDC-785', formatted: '25' });
    expect(await of({ token: '0xbeef::meme::MEME' })).toMatchObject({
      token: MEME,
      tokenKey: null,
      symbol: 'MEME',
      formatted: '0.9',
    });
  });

  it.each([
    ['no chain', { address: NOBODY }, 'chainId'],
    ['an unknown chain', { chainId: 999_999, address: NOBODY }, 'chainId'],
    ['no address', { chainId: 31337 }, 'address'],
    ['half an address', { chainId: 31337, address: '0x12' }, 'address'],
    ['an address without 0x', { chainId: 31337, address: NOBODY.slice(2) }, 'address'],
    ['an address of another family', { chainId: 31337, address: OWNER }, 'address'],
    ['base58 of 31 bytes', { chainId: 103, address: '1'.repeat(31) }, 'address'],
    ['a Sui address without 0x', { chainId: 785, address: 'a11ce' }, 'address'],
    ['a token of another family', { chainId: 31337, address: NOBODY, token: USDC_MINT }, 'token'],
    ['a name of the package registry', { chainId: 785, address: ALICE, token: '@mysten/sui::sui::SUI' }, 'token'],
    ['half a coin type', { chainId: 785, address: ALICE, token: '0x2::sui' }, 'token'],
    ['an unknown key', { chainId: 31337, address: NOBODY, tokenKey: 'NOPE-31337' }, 'tokenKey'],
    ["another chain's key", { chainId: 31337, address: NOBODY, tokenKey: 'USDC-103' }, 'tokenKey'],
    [
      'a token that is not the key’s',
      { chainId: 31337, address: NOBODY, token: NOBODY, tokenKey: 'ETH-31337' },
      'token',
    ],
    ['another currency', { chainId: 31337, address: NOBODY, currency: 'GBP' }, 'currency'],
    ['a stranger', { chainId: 31337, address: NOBODY, when: 'now' }, 'when'],
  ])('refuses %s', async (_name, query, param) => {
    const { status, body } = await ask(query);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.map((fault: { param: string }) => fault.param)).toEqual([param]);
  });

  it('returns 404 for a token that does not exist', async () => {
    for (const query of [
      { chainId: evm.chainId, address: payer(), token: NOBODY },
      { chainId: 103, address: OWNER, token: OWNER },
      { chainId: 785, address: ALICE, token: '0xdead::meme::MEME' },
    ]) {
      const { status, body } = await ask(query);
      expect([status, body.error.code, body.error.param]).toEqual([404, 'NOT_FOUND', 'token']);
    }
  });

  it('returns 502 without a node', async () => {
    const { status, body } = await ask({ chainId: 137, address: NOBODY });
    expect([status, body.error.code]).toEqual([502, 'CHAIN_UNAVAILABLE']);
  });

  it('returns 502 instead of zero if a node refuses the request', async () => {
    solana.setStatus(503);
    sui.refuse(14);
    const answers = [await ask({ chainId: 103, address: OWNER }), await ask({ chainId: 785, address: ALICE })];
    solana.setStatus(200);
    sui.refuse(null);
    expect(answers.map(({ status }) => status)).toEqual([502, 502]);
    expect((await ask({ chainId: 785, address: ALICE })).status).toBe(200);
  });

  it('requires any credential', async () => {
    const query = { chainId: 103, address: OWNER };
    expect((await api.rest('GET', `/balance?chainId=103&address=${OWNER}`)).status).toBe(401);
    expect((await ask(query, api.merchantA.secretKey)).status).toBe(200);
    // A live app may read wallets on a test chain.
    expect((await ask(query, api.liveApp.secretKey)).status).toBe(200);
  });
});

describe('POST /balance/batch', () => {
  it('returns valid, invalid and unavailable items in order, and reads a repeated item once', async () => {
    const before = solana.requests.length;
    const items = [
      { chainId: 103, address: OWNER },
      { chainId: 1, address: NOBODY },
      { chainId: evm.chainId, address: payer(), tokenKey: evm.usdc.key },
      { chainId: 5, address: NOBODY },
      { chainId: evm.chainId, address: payer(), token: NOBODY },
      { chainId: 785, address: ALICE, tokenKey: 'USDC-785' },
      { chainId: evm.chainId, address: 'x' },
      { chainId: 103, address: OWNER, tokenKey: 'SOL-103' },
      { chainId: 103, address: OWNER, token: STRANGE_MINT },
      { chainId: 101, address: OWNER },
      { chainId: 784, address: ALICE },
    ];
    const { status, body } = await batch({ items, includePrice: true });
    expect(status).toBe(200);
    const outcomes = body.data.items.map((item: { ok: boolean; formatted: string; error: { code: string } | null }) =>
      item.ok ? item.formatted : item.error?.code,
    );
    expect(outcomes).toEqual([
      '1.5',
      'CHAIN_UNAVAILABLE',
      '1000000',
      'VALIDATION_ERROR',
      'NOT_FOUND',
      '25',
      'VALIDATION_ERROR',
      '1.5',
      '0.00077',
      'CHAIN_UNAVAILABLE',
      'CHAIN_UNAVAILABLE',
    ]);
    expect(body.data.items[0]).toMatchObject({ chainId: 103, price: { valueFiat: '225.00' } });
    expect(body.data.items[0]).not.toHaveProperty('error');
    expect(body.data.items[1]).toEqual({
      ok: false,
      chainId: 1,
      address: NOBODY,
      error: { code: 'CHAIN_UNAVAILABLE', message: expect.any(String) },
    });
    const shapes = body.data.items.map((item: object) => Object.keys(item).sort().join());
    const [balance, fault] = [Object.keys(body.data.items[0]).sort().join(), 'address,chainId,error,ok'];
    expect(balance).toBe('address,balance,chainId,decimals,formatted,ok,price,symbol,token,tokenKey');
    expect(new Set(shapes)).toEqual(new Set([balance, fault, balance.replace('price,', '')]));
    expect(solana.requests.slice(before)).toEqual([{ method: 'getMultipleAccounts', accounts: 5 }]);
  });

  it('reads fifty balances with one request to EVM, two to Solana and eight at a time to Sui', async () => {
    const addresses = Array.from({ length: 50 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);
    await evm.testClient.setBalance({ address: '0x0000000000000000000000000000000000000007', value: 7n });
    const { body } = await batch({
      items: addresses.map((address, index) => ({
        chainId: evm.chainId,
        address,
        ...(index % 2 === 0 ? { token: 'native' } : { tokenKey: evm.usdt.key }),
      })),
    });
    expect(body.data.items.map((item: { balance: string }) => item.balance).slice(0, 8)).toEqual(
      ['0', '0', '0', '0', '0', '0', '7', '0'].map(String),
    );
    const before = solana.requests.length;
    const tokens = [USDC_MINT, STRANGE_MINT, EXTENDED_MINT];
    const owners = Array.from(
      { length: 50 },
      (_, index) => `${OWNER.slice(0, -2)}${index < 25 ? 'd' : 'e'}${'ABCDEFGHJKLMNPQRSTUVWXYZa'[index % 25]}`,
    );
    const onSolana = await batch({
      items: owners.map((address, index) => ({ chainId: 103, address, token: tokens[index % 3] })),
    });
    expect(onSolana.body.data.items.every((item: { ok: boolean }) => item.ok)).toBe(true);
    expect(solana.requests.slice(before).map((request) => request.accounts <= 100)).toEqual([true, true]);
    const onSui = await batch({
      items: Array.from({ length: 50 }, (_, index) => ({ chainId: 785, address: `0x${(index + 1).toString(16)}` })),
    });
    expect(onSui.body.data.items.every((item: { ok: boolean }) => item.ok)).toBe(true);
    expect(sui.mostAtOnce()).toBeLessThanOrEqual(8);
  });

  it('refuses an empty batch, one of 51 items, a malformed one and an unsupported currency', async () => {
    const item = { chainId: 103, address: OWNER };
    for (const [body, param] of [
      [{ items: [] }, 'items'],
      [{ items: Array.from({ length: 51 }, () => item) }, 'items'],
      [{}, 'items'],
      [{ items: item }, 'items'],
      [{ items: [item, { chainId: '103', address: OWNER }] }, 'items[1].chainId'],
      [{ items: [{ chainId: 103 }] }, 'items[0].address'],
      [{ items: [item], currency: 'GBP' }, 'currency'],
      [{ items: [item], page: 1 }, 'page'],
    ] as const) {
      const answer = await batch(body);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.map((fault: { param: string }) => fault.param)).toEqual([param]);
    }
    expect((await batch({ items: [item] }, '')).status).toBe(401);
    expect((await batch({ items: Array.from({ length: 50 }, () => item) })).body.data.items).toHaveLength(50);
  });

  it('returns the same over GraphQL', async () => {
    const answer = await api.graphql(
      `query ($items: [BalanceItemInput!]!) {
        balances(items: $items, includePrice: true, currency: "EUR") { items { ok formatted price { valueFiat } error { code } } }
        balance(chainId: 103, address: "${OWNER}", tokenKey: "USDC-103") { balance }
      }`,
      {
        items: [
          { chainId: 103, address: OWNER },
          { chainId: 9, address: OWNER },
        ],
      },
      { key: key() },
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      balances: {
        items: [
          { ok: true, formatted: '1.5', price: { valueFiat: '180.00' }, error: null },
          { ok: false, formatted: null, price: null, error: { code: 'VALIDATION_ERROR' } },
        ],
      },
      balance: { balance: '2500000' },
    });
  });
});

describe('unregistered tokens on EVM chains', () => {
  it('are read with their own symbol and decimals, and one that uses all gas does not affect others', async () => {
    const strange: `0x${string}` = '0x0000000000000000000000000000000000001011';
    const greedy: `0x${string}` = '0x0000000000000000000000000000000000001012';
    const code = await evm.publicClient.getCode({ address: evm.usdc.address });
    if (code === undefined) throw new Error('The token has no code.');
    await evm.testClient.setCode({ address: strange, bytecode: code });
    // JUMPDEST, PUSH1 0, JUMP: an endless loop.
    await evm.testClient.setCode({ address: greedy, bytecode: '0x5b600056' });
    const own = {
      address: strange,
      abi: parseAbi(['function symbol() view returns (string)', 'function decimals() view returns (uint8)']),
    };
    const symbol = await evm.publicClient.readContract({ ...own, functionName: 'symbol' });
    const decimals = await evm.publicClient.readContract({ ...own, functionName: 'decimals' });
    const item = { chainId: evm.chainId, address: payer() };
    const { body } = await batch({
      items: [{ ...item, token: greedy }, { ...item, token: strange }, item],
      includePrice: true,
    });
    const [first, second, third] = body.data.items;
    expect(first).toMatchObject({ ok: false });
    expect(second).toMatchObject({
      ok: true,
      tokenKey: null,
      symbol: symbol === '' ? null : symbol,
      decimals,
    });
    expect(second).not.toHaveProperty('price');
    expect(third).toMatchObject({ ok: true, tokenKey: 'ETH-31337' });
  });

  it('are read without Multicall3, like all other tokens', async () => {
    const bytecode = await evm.publicClient.getCode({ address: MULTICALL3 });
    await evm.testClient.setCode({ address: MULTICALL3, bytecode: '0x' });
    const item = { chainId: evm.chainId, address: payer() };
    const { body } = await batch({
      items: [
        item,
        { ...item, tokenKey: evm.usdc.key },
        { ...item, token: NOBODY },
        { ...item, token: '0x0000000000000000000000000000000000001011' },
      ],
    });
    await evm.testClient.setCode({ address: MULTICALL3, bytecode: bytecode ?? '0x' });
    expect(body.data.items.map((one: { ok: boolean }) => one.ok)).toEqual([true, true, false, true]);
    expect(body.data.items[1].balance).toBe('1000000000000');
  });
});
