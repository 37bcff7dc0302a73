import { type Address, erc20Abi } from 'viem';
import { getBalance, multicall } from 'viem/actions';
import type { ChainReader } from './chain-reader.ts';

/** `address`: "native" for the chain's coin. */
export type ReadableToken = { key: string; address: string };

/** Base units by token key, and of the chain's coin for the network fee. A balance that could not be read is absent. */
export type Balances = { tokens: ReadonlyMap<string, bigint>; coin: bigint | undefined };

/** Reads all tokens of one chain by one call. Throws if the node fails. */
export async function readBalances(
  client: ChainReader,
  request: { tokens: readonly ReadableToken[]; owner: Address },
): Promise<Balances> {
  const { tokens, owner } = request;
  const contracts = tokens.filter(({ address }) => address !== 'native');
  const [coin, results] = await Promise.all([
    getBalance(client, { address: owner }),
    contracts.length === 0
      ? []
      : multicall(client, {
          // Works without a deployed contract, and therefore on every chain.
          deployless: true,
          allowFailure: true,
          contracts: contracts.map(({ address }) => ({
            address: asAddress(address),
            abi: erc20Abi,
            functionName: 'balanceOf' as const,
            args: [owner] as const,
          })),
        }),
  ]);
  const held = new Map<string, bigint>();
  for (const token of tokens) if (token.address === 'native') held.set(token.key, coin);
  for (const [index, token] of contracts.entries()) {
    const result = results[index];
    if (result?.status === 'success') held.set(token.key, result.result);
  }
  return { tokens: held, coin };
}

function asAddress(text: string): Address {
  return `0x${text.slice(2)}`;
}
