import type { Address } from 'viem';
import { contractAddress, NATIVE, type Token } from '../chain.ts';
import { erc20Abi } from './erc20.ts';
import type { EvmClient } from './nodes.ts';

/** Amounts in base units. `permitNonce` is null if the token does not support EIP-2612. */
export type WalletReading = { balance: bigint; allowance: bigint; permitNonce: bigint | null };

/** Reads a wallet's balance of a token and its allowance for `spender` at the latest block. Throws the node's errors. */
export async function readWallet(
  world: { client: EvmClient },
  request: { token: Token; wallet: Address; spender: Address },
): Promise<WalletReading> {
  const { client } = world;
  const { token, wallet, spender } = request;
  if (token.address === NATIVE) {
    return { balance: await client.getBalance({ address: wallet }), allowance: 0n, permitNonce: null };
  }
  const contract = { address: contractAddress(token), abi: erc20Abi } as const;
  const [balance, allowance, permitNonce] = await Promise.all([
    client.readContract({ ...contract, functionName: 'balanceOf', args: [wallet] }),
    client.readContract({ ...contract, functionName: 'allowance', args: [wallet, spender] }),
    token.permit === null ? null : client.readContract({ ...contract, functionName: 'nonces', args: [wallet] }),
  ]);
  return { balance, allowance, permitNonce };
}
