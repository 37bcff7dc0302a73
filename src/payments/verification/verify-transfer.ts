import { type Hex, isHex, TransactionReceiptNotFoundError } from 'viem';
import type { ExactAuthorization } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { authorizationAbi, isTransferAfter, usedTopic } from '../../chains/evm/transfer-authorization.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { toBigInt } from '../../prices/base-units.ts';

/** The state of an authorization on the chain at the confirmed height. */
export type TransferOnChain = { status: 'SETTLED' | 'USED' | 'NONE'; faults: string[] };

/**
 * Reads from a node alone what became of the authorization of a direct transfer: SETTLED if the recorded transaction moved its amount to
 * the merchant, USED if the nonce was used or canceled otherwise, NONE if it is unused. Throws CHAIN_UNAVAILABLE.
 */
export async function verifyTransfer(
  { nodes }: { nodes: EvmNodes },
  { authorization, view }: { authorization: ExactAuthorization; view: ChainView<Hex> },
): Promise<TransferOnChain> {
  const { chainId, token, payer, nonce, txHash, status, failure } = authorization;
  const found = await nodes.asking(chainId, async (client): Promise<TransferOnChain['status']> => {
    const isUsed = await client.readContract({
      address: hexOf(token),
      abi: authorizationAbi,
      functionName: 'authorizationState',
      args: [hexOf(payer), hexOf(nonce)],
      blockNumber: view.confirmed.number,
    });
    if (!isUsed) return 'NONE';
    if (txHash === null) return 'USED';
    try {
      const receipt = await client.getTransactionReceipt({ hash: hexOf(txHash) });
      const uses = receipt.logs.filter((log) => isUseOf(authorization, log));
      const transfer = {
        token,
        from: hexOf(payer),
        to: hexOf(authorization.payTo),
        value: toBigInt(authorization.amount),
      };
      const isPaid = uses.some(({ logIndex }) => isTransferAfter(receipt.logs, { ...transfer, logIndex }));
      return isPaid && receipt.blockNumber <= view.confirmed.number ? 'SETTLED' : 'USED';
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return 'USED';
      throw error;
    }
  });
  const expected = status === 'SETTLED' ? 'SETTLED' : status === 'PENDING' || failure === 'EXPIRED' ? 'NONE' : 'USED';
  const recorded = failure ?? status;
  return {
    status: found,
    faults: found === expected ? [] : [`The authorization is ${recorded} here, and ${found} on the chain.`],
  };
}

function isUseOf({ token, nonce }: ExactAuthorization, log: { address: string; topics: readonly string[] }): boolean {
  const [topic, , used] = log.topics;
  return log.address.toLowerCase() === token && topic === usedTopic && used?.toLowerCase() === nonce;
}

function hexOf(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error(`${text} is not hex.`);
}
