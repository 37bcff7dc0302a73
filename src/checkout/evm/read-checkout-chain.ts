import type { Address } from 'viem';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { readWallet, type WalletReading } from '../../chains/evm/read-wallet.ts';
import type { Chain, Token } from '../../chains/registry.ts';
import { GatewayError } from '../../errors.ts';

/** `timestamp` is that of the newest block, in Unix seconds. */
export type CheckoutChainReading = { timestamp: number; wallet: WalletReading };

/**
 * Reads what a quote needs from its chain in one go. Throws CHAIN_UNAVAILABLE if the node fails or the escrow address has no
 * code, because coin sent to an address without code would be lost.
 */
export async function readCheckoutChain(
  world: { nodes: EvmNodes },
  request: { chain: Chain & { escrow: Address }; token: Token; payer: Address },
): Promise<CheckoutChainReading> {
  const { chain, token, payer } = request;
  return await world.nodes.asking(chain.chainId, async (client) => {
    const [block, code, wallet] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.getCode({ address: chain.escrow }),
      readWallet({ client }, { token, wallet: payer, spender: chain.escrow }),
    ]);
    if (code === undefined || code === '0x') {
      throw new GatewayError('CHAIN_UNAVAILABLE', `There is no escrow contract on chain ${chain.chainId}.`);
    }
    return { timestamp: Number(block.timestamp), wallet };
  });
}
