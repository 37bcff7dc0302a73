/** The providers that Ponder receives: several for each local node, and for a public chain those that the operator configured. */
import { expect, it } from 'vitest';
import type { Chain } from '../../src/chains/registry.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { indexedChains, ponderSchema } from '../../src/facts/ponder/ponder-settings.ts';

const registry = loadRegistry({ rpc: [] });
const chain = registry.chain(1);
if (!chain) throw new Error('Chain 1 is not in the registry.');

const urls = ['https://one.example/key', 'https://two.example'];
const indexed = (changes: Partial<Chain>) => {
  const escrow = '0x1111111111111111111111111111111111111111';
  return indexedChains({
    chains: [{ ...chain, escrow, ...changes } as Chain],
    rpc: [
      {
        chainId: 1,
        urls,
        confirmations: undefined,
        pollingIntervalMs: 2_000,
        relayMinimumUsd: '0',
        maxFeePerGasWei: 1n,
        startBlock: 0n,
      },
    ],
    startBlocks: new Map([[1, 0n]]),
  });
};

it("keeps a public chain's URLs as they are configured, and Ponder's limits with them", () => {
  expect(indexed({ local: false })[0]?.rpcUrls).toEqual(urls);
});

it('gives each node of a local chain as several providers, whose requests have the same URL', () => {
  const [local] = indexed({ local: true });
  expect(local?.rpcUrls).toHaveLength(20);
  expect(new Set(local?.rpcUrls).size).toBe(20);
  const requested = local?.rpcUrls.map((url) => new Request(url).url.replace(/#.*/, ''));
  expect([...new Set(requested)]).toEqual(['https://one.example/key', 'https://two.example/']);
});

it('has the same schema however many URLs a chain has', () => {
  const one = indexed({ local: true });
  const other = one.map((each) => ({ ...each, rpcUrls: ['http://127.0.0.1:1'] }));
  expect(ponderSchema('ponder', one)).toBe(ponderSchema('ponder', other));
});
