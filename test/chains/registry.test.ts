import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAddress } from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import { selectionFaults } from '../../src/chains/chain-selection.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcSettings } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-registry-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rpcOf(chainId: number, confirmations?: number): RpcSettings {
  return {
    chainId,
    urls: ['http://127.0.0.1:1'],
    confirmations,
    pollingIntervalMs: 100,
    relayMinimumUsd: '0',
    maxFeePerGasWei: 1n,
    startBlock: undefined,
  };
}

function fileOf(contents: unknown): string {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(contents));
  return path;
}

const local = {
  chainId: 31337,
  name: 'Local',
  family: 'EVM',
  testnet: true,
  local: true,
  native: { symbol: 'ETH', decimals: 18 },
  tokens: [{ symbol: 'USDC', name: 'USD Coin', decimals: 6, address: '0x1000000000000000000000000000000000000001' }],
};

describe('the built-in chains', () => {
  const registry = loadRegistry({ rpc: [] });

  it('have addresses with valid checksums, and each token has a unique key', () => {
    const tokens = registry.chains().flatMap((chain) => chain.tokens);
    const evm = registry.chains().filter((chain) => chain.family === 'EVM');
    const wrong = evm
      .flatMap((chain) => chain.tokens)
      .filter((token) => token.address !== 'native' && !isAddress(token.address, { strict: true }));
    expect(wrong).toEqual([]);
    expect(new Set(tokens.map((token) => token.key)).size).toBe(tokens.length);
    expect(tokens.filter((token) => token.key !== `${token.symbol}-${token.chainId}`)).toEqual([]);
  });

  it('have the documented values under the documented ids', () => {
    expect(registry.chain(1)).toMatchObject({ family: 'EVM', testnet: false, escrow: escrowAddress });
    expect(registry.chain(11155111)).toMatchObject({ family: 'EVM', testnet: true });
    expect([101, 102, 103].map((id) => registry.chain(id)?.family)).toEqual(['SOLANA', 'SOLANA', 'SOLANA']);
    expect([784, 785, 786].map((id) => registry.chain(id)?.family)).toEqual(['SUI', 'SUI', 'SUI']);
    expect(registry.token('USDC-1')).toMatchObject({ decimals: 6, permit: { name: 'USD Coin', version: '2' } });
    expect(registry.token('USDT-1')).toMatchObject({ permit: null, receive: null, resetsAllowance: true });
    expect(registry.token('ETH-1')).toMatchObject({ address: 'native', decimals: 18 });
  });

  it('specify which of USDC, USDT and DAI accepts a permit or a signed transfer on each main network', () => {
    const both = 'permit receive';
    const known = registry
      .chains()
      .filter((chain) => chain.family === 'EVM' && !chain.testnet)
      .map((chain) => [
        chain.chainId,
        Object.fromEntries(
          ['USDC', 'USDT', 'DAI'].map((symbol) => {
            const { decimals, permit, receive } = registry.token(`${symbol}-${chain.chainId}`) ?? {};
            return [symbol, [decimals, permit && 'permit', receive && 'receive'].filter(Boolean).join(' ')];
          }),
        ),
      ]);
    expect(Object.fromEntries(known)).toEqual({
      1: { USDC: `6 ${both}`, USDT: '6', DAI: '18' },
      10: { USDC: `6 ${both}`, USDT: '6', DAI: '18 permit' },
      56: { USDC: '18', USDT: '18', DAI: '18' },
      137: { USDC: `6 ${both}`, USDT: '6', DAI: '18' },
      8453: { USDC: `6 ${both}`, USDT: '6', DAI: '18' },
      42161: { USDC: `6 ${both}`, USDT: '6', DAI: '18 permit' },
      43114: { USDC: `6 ${both}`, USDT: '6', DAI: '18' },
    });
    const domains = new Set(
      registry
        .chains()
        .flatMap((chain) =>
          chain.testnet || chain.family !== 'EVM'
            ? []
            : chain.tokens.flatMap(({ symbol, permit, receive }) =>
                [permit, receive]
                  .filter((domain) => domain !== null)
                  .map(({ name, version }) => [symbol, name, version].join()),
              ),
        ),
    );
    expect([...domains]).toEqual(['USDC,USD Coin,2', 'DAI,Dai Stablecoin,2']);
  });

  it('have no node until one is configured', () => {
    expect(registry.enabled()).toEqual([]);
  });
});

describe('the registry', () => {
  it('adds the chains of a file and derives the remaining values', () => {
    const registry = loadRegistry({ chainsFile: fileOf([local]), rpc: [rpcOf(31337, 3)] });
    expect(registry.enabled().map((chain) => chain.chainId)).toEqual([31337]);
    expect(registry.chain(31337)).toMatchObject({ confirmations: 3, escrow: escrowAddress, explorerUrl: null });
    expect(registry.token('USDC-31337')).toMatchObject({ chainId: 31337, permit: null, resetsAllowance: false });
    expect(registry.token('ETH-31337')?.address).toBe('native');
    expect(registry.tokenByAddress(31337, '0x1000000000000000000000000000000000000001')?.key).toBe('USDC-31337');
    expect(registry.tokenByAddress(1, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')?.key).toBe('USDC-1');
  });

  it('rejects a node of an unknown chain, and an invalid file', () => {
    expect(() => loadRegistry({ rpc: [rpcOf(424242)] })).toThrow(ConfigError);
    expect(() => loadRegistry({ chainsFile: fileOf([{ ...local, family: 'OTHER' }]), rpc: [] })).toThrow(ConfigError);
    expect(() => loadRegistry({ chainsFile: join(folder, 'none.json'), rpc: [] })).toThrow(ConfigError);
  });
});

describe('chains that derive CREATE2 addresses differently', () => {
  it.each([
    [324, 'ZKsync Era'],
    [2741, 'Abstract'],
    [728126428, 'TRON'],
  ])('are rejected by name in a file and as a node: %i', (chainId, name) => {
    const refusal = `Chain ${chainId} (${name}) derives CREATE2 addresses by rules of its own`;
    expect(() => loadRegistry({ chainsFile: fileOf([{ ...local, chainId }]), rpc: [] })).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining(`CHAINS_FILE: [0].chainId: ${refusal}`),
      }),
    );
    expect(() => loadRegistry({ rpc: [rpcOf(chainId)] })).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining(`RPC_URL_${chainId}: ${refusal}`),
      }),
    );
  });

  it('do not include a chain of another family with the same number', () => {
    const solana = { ...local, chainId: 324, family: 'SOLANA', tokens: [] };
    expect(loadRegistry({ chainsFile: fileOf([solana]), rpc: [] }).chain(324)).toMatchObject({ family: 'SOLANA' });
  });
});

describe('a selection of chains and tokens', () => {
  const registry = loadRegistry({ chainsFile: fileOf([local]), rpc: [] });
  const faults = (mode: 'TEST' | 'LIVE', allowedChains: 'ALL' | number[], allowedTokens: 'ALL' | string[]) =>
    selectionFaults({ registry }, { mode, selection: { allowedChains, allowedTokens } }).map((fault) => fault.param);

  it('can contain everything, or known chains and tokens of the mode', () => {
    expect(faults('TEST', 'ALL', 'ALL')).toEqual([]);
    expect(faults('TEST', [31337, 11155111], ['USDC-31337'])).toEqual([]);
    expect(faults('LIVE', [1], ['USDC-1'])).toEqual([]);
  });

  it('names every unknown chain and token', () => {
    expect(faults('TEST', [31337, 5], ['USDC-31337', 'NO-1'])).toEqual(['allowedChains[1]', 'allowedTokens[1]']);
  });

  it('accepts no main network for a test app, and no test network for a live one', () => {
    expect(faults('TEST', [1], 'ALL')).toEqual(['allowedChains[0]']);
    expect(faults('LIVE', [31337], 'ALL')).toEqual(['allowedChains[0]']);
  });

  it('requires at least one token on an allowed chain', () => {
    expect(faults('TEST', [11155111], ['USDC-31337'])).toEqual(['allowedTokens']);
    expect(faults('TEST', 'ALL', ['USDC-1'])).toEqual(['allowedTokens']);
  });
});
