/** CHAINS_FILE: changes of built-in chains, additional chains, and the errors for its faults. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInPriceIds } from '../../src/chains/price-ids.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { parseConfig } from '../../src/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-chains-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(contents: unknown): string {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(contents));
  return path;
}

type Source = 'market' | 'coingecko' | 'kraken' | 'fixed';
const load = (contents: unknown, source: Source = 'market', table = '') =>
  loadRegistry({ chainsFile: fileOf(contents), rpc: [], prices: { source, table } });

function faultsOf(contents: unknown, source: Source = 'market', table = ''): string[] {
  try {
    load(contents, source, table);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError' });
    const lines = error instanceof Error ? error.message.split('\n') : [];
    return lines.map((line) => line.replace(/^CHAINS_FILE: /, ''));
  }
}

const address = '0x1000000000000000000000000000000000000001';
const gho = { symbol: 'GHO', decimals: 18, address, price: { coinGecko: 'gho', kraken: 'GHOUSD' } };
const credits = {
  chainId: 424242,
  name: 'Credits',
  family: 'EVM',
  testnet: true,
  native: { symbol: 'CRD', decimals: 18, price: { peg: 'USD' } },
};
const shipped = loadRegistry({ rpc: [] });

describe('an entry of a built-in chain', () => {
  it('keeps all values that it does not set: with only a node, Ethereum keeps tokens and confirmations', () => {
    const chainsFile = fileOf([{ chainId: 1, rpcUrl: 'https://node.example' }]);
    const config = parseConfig({ DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c', CHAINS_FILE: chainsFile });
    expect(config.rpc.map(({ chainId, urls }) => [chainId, urls])).toEqual([[1, ['https://node.example']]]);
    const registry = loadRegistry(config);
    expect(registry.enabled()).toEqual([shipped.chain(1)]);
    expect(registry.chains()).toEqual(shipped.chains());
  });

  it('uses the node and the confirmations of the environment if both define them', () => {
    const chainsFile = fileOf([{ chainId: 1, confirmations: 3, rpcUrl: ['https://a.example', 'https://b.example'] }]);
    const base = { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c', CHAINS_FILE: chainsFile };
    const ofFile = parseConfig(base);
    expect(ofFile.rpc[0]?.urls).toEqual(['https://a.example', 'https://b.example']);
    expect(loadRegistry(ofFile).chain(1)?.confirmations).toBe(3);
    const ofBoth = parseConfig({ ...base, RPC_URL_1: 'https://c.example', CONFIRMATIONS_1: '7' });
    expect(ofBoth.rpc[0]?.urls).toEqual(['https://c.example']);
    expect(loadRegistry(ofBoth).chain(1)?.confirmations).toBe(7);
  });

  it('adds a token before the coin, and changes a token with the same key', () => {
    const registry = load([{ chainId: 1, tokens: [gho, { key: 'DAI-1', resetsAllowance: true }] }]);
    expect(registry.chain(1)?.tokens.map(({ key }) => key)).toEqual(['USDC-1', 'USDT-1', 'DAI-1', 'GHO-1', 'ETH-1']);
    expect(registry.token('DAI-1')).toEqual({ ...shipped.token('DAI-1'), resetsAllowance: true });
    expect(registry.token('GHO-1')).toMatchObject({ name: 'GHO', chainId: 1, permit: null });
    expect(registry.priceIds().get('GHO')).toEqual(gho.price);
    expect(registry.chain(1)).toMatchObject({ name: 'Ethereum', confirmations: 12 });
  });
});

describe('an entry of a new chain', () => {
  it('is completed with derived values', () => {
    const registry = load([{ ...credits, tokens: [{ ...gho, key: 'GHO-424242' }] }]);
    expect(registry.chain(424242)).toMatchObject({
      local: false,
      confirmations: 1,
      explorerUrl: null,
      escrow: shipped.chain(1)?.escrow,
    });
    expect(registry.chain(424242)?.tokens.map(({ key }) => key)).toEqual(['GHO-424242', 'CRD-424242']);
  });
});

describe('a file with faults', () => {
  it('is rejected with all faults, each with its path and the limit', () => {
    const contents = [
      { ...credits, chainId: 0, name: 'x'.repeat(65), colour: 'red' },
      { ...credits, native: { symbol: 'CRD', decimals: 37 } },
      { chainId: 5, tokens: [{ symbol: 'GHO' }] },
      { chainId: 1, family: 'SOLANA', confirmations: 10_001, rpcUrl: 'ftp://node.example' },
      { chainId: 10, family: 'SOLANA', tokens: [{ ...gho, key: 'GHO-1', address: '0x12' }, gho, { name: 'No key' }] },
      { chainId: 10 },
    ];
    const faults = faultsOf(contents);
    for (const fault of [
      /^\[0\]\.chainId: .*>0/,
      /^\[0\]\.name: .*<=64 characters/,
      /^\[0\]: .*"colour"/,
      /^\[1\]\.native\.decimals: .*<=36/,
      /^\[2\]\.name: is required/,
      /^\[2\]\.family: is required/,
      /^\[2\]\.native\.symbol: is required/,
      /^\[2\]\.tokens\[0\]\.decimals: is required, because GHO-5 is not built in/,
      /^\[3\]\.confirmations: .*<=10000/,
      /^\[3\]\.rpcUrl/,
      /^\[4\]\.family: is EVM and cannot be changed/,
      /^\[4\]\.tokens\[0\]\.key: must end with -10/,
      /^\[4\]\.tokens\[2\]\.key: is required/,
      /^\[5\]\.chainId: 10 occurs twice in the file/,
    ])
      expect(faults).toContainEqual(expect.stringMatching(fault));
  });

  it.each([
    ['an object instead of an array', {}, /^the file: /],
    [
      'a token twice',
      [{ chainId: 1, tokens: [gho, gho] }],
      /^\[0\]\.tokens\[1\]\.key: GHO-1 occurs twice in the chain/,
    ],
    [
      'a wrong checksum',
      [{ chainId: 1, tokens: [{ ...gho, address: '0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }] }],
      /^\[0\]\.tokens\[0\]\.address: native, or 0x and 40 hex digits/,
    ],
    ['a peg and an id', [{ chainId: 1, tokens: [{ ...gho, price: { peg: 'USD', kraken: 'GHOUSD' } }] }], /either peg/],
    ['no id', [{ chainId: 1, tokens: [{ ...gho, price: {} }] }], /^\[0\]\.tokens\[0\]\.price: either peg/],
    [
      'a pair with the euro',
      [{ chainId: 1, tokens: [{ ...gho, price: { kraken: 'GHOEUR' } }] }],
      /price\.kraken: a pair/,
    ],
  ])('is rejected for %s', (_what, contents, fault) => {
    expect(faultsOf(contents)).toContainEqual(expect.stringMatching(fault));
  });
});

describe('a symbol', () => {
  const { price: _price, ...unpriced } = gho;
  const of = (price?: object) => [{ chainId: 1, tokens: [{ ...unpriced, ...(price ? { price } : {}) }] }];

  it.each([
    ['market', /^\[0\]\.tokens\[0\]\.price: GHO has no price: add \{"coinGecko".*"kraken".*"peg"/],
    ['coingecko', /PRICE_SOURCE is coingecko: add \{"coinGecko": "<id>"\}/],
    ['kraken', /PRICE_SOURCE is kraken: add \{"kraken": "<pair>"\}/],
    ['fixed', /add GHO=<USD> to PRICE_TABLE/],
  ] as const)('without a price is rejected with instructions if prices come from %s', (source, fault) => {
    expect(faultsOf(of(), source)).toEqual([expect.stringMatching(fault)]);
  });

  it('needs the id of the configured market, a line in the table, or a peg', () => {
    expect(faultsOf(of({ coinGecko: 'gho' }))).toEqual([]);
    expect(faultsOf(of({ coinGecko: 'gho' }), 'kraken')).toHaveLength(1);
    expect(faultsOf(of({ kraken: 'GHOUSD' }), 'kraken')).toEqual([]);
    expect(faultsOf(of(), 'fixed', 'GHO=0.99')).toEqual([]);
    for (const source of ['market', 'coingecko', 'kraken', 'fixed'] as const) {
      for (const peg of ['USD', 'EUR', 'ETH']) expect(faultsOf(of({ peg }), source)).toEqual([]);
    }
    expect(faultsOf(of({ peg: 'XYZ' }))).toEqual([expect.stringMatching(/pegs to XYZ, which has no price of its own/)]);
    expect(faultsOf([...of({ peg: 'CRD' }), credits])).toEqual([expect.stringMatching(/which is itself pegged/)]);
  });

  it('has one price: a built-in one cannot change, and two tokens must agree', () => {
    const usdc = { chainId: 424242, tokens: [{ ...unpriced, symbol: 'USDC', price: { peg: 'USD' } }] };
    expect(faultsOf([{ ...credits, ...usdc }])).toEqual([expect.stringMatching(/USDC ships with .*another symbol/)]);
    const other = { ...credits, tokens: [{ ...gho, price: { peg: 'USD' } }] };
    expect(faultsOf([...of(gho.price), other])).toEqual([expect.stringMatching(/has elsewhere in the file/)]);
    expect(faultsOf([...of(gho.price), { ...credits, tokens: [unpriced] }])).toEqual([]);
  });

  it('of a built-in token has a price at both markets', () => {
    const symbols = new Set(shipped.chains().flatMap((chain) => chain.tokens.map((token) => token.symbol)));
    expect([...symbols].filter((symbol) => !builtInPriceIds.has(symbol))).toEqual([]);
  });
});

describe('the manual', () => {
  const manual = readFileSync(new URL('../../docs/chains.md', import.meta.url), 'utf8');
  const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(manual)?.[1] ?? '');

  it('has a valid example with every field of the schema', () => {
    const registry = load(example);
    expect(registry.token('GHO-1')).toMatchObject({ name: 'Gho Token', permit: { name: 'Gho Token' } });
    expect(registry.chain(1)?.tokens).toHaveLength((shipped.chain(1)?.tokens.length ?? 0) + 1);
    expect(registry.chain(424242)).toMatchObject({ name: 'Credits', confirmations: 5 });
    for (const line of [...manual.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(
      (match) => match[1]?.split(', ') ?? [],
    )) {
      const field = line.replaceAll('`', '');
      if (field !== 'escrow') expect(JSON.stringify(example), field).toContain(`"${field}":`);
    }
  });

  it('quotes the error messages exactly', () => {
    for (const [, fault = ''] of manual.matchAll(/^CHAINS_FILE: \[\d\]\S+: (.*)$/gm)) {
      const { price: _peg, ...native } = credits.native;
      const faulty = [
        { ...credits, native },
        { chainId: 1, tokens: [{ ...gho, decimals: 37 }] },
      ];
      expect(faultsOf(faulty).map((line) => line.replace(/^\S+ /, ''))).toContain(fault);
    }
  });
});
