import { getAbiItem, toFunctionSelector } from 'viem';
import type { Database, DepositAddress } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { BoxReading } from '../../escrow/deposits/read-boxes.ts';
import { escrowAbi } from '../../escrow/escrow-abi.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { hexOf } from './deposit.ts';

const COLLECTING = toFunctionSelector(getAbiItem({ abi: escrowAbi, name: 'authorizeFromDeposit' }));

/**
 * Returns the amount that the payment has taken from the address, in base units: its amount if the authorizing transaction collected
 * it here. The payer may have paid the terms in another way. Null while the inbox does not contain that transaction.
 */
export async function readCollected(
  { database, nodes, registry }: { database: Database; nodes: EvmNodes; registry: Registry },
  view: Pick<ChainView, 'head' | 'blockAt'>,
  { deposit, reading }: { deposit: DepositAddress; reading: BoxReading },
): Promise<bigint | null> {
  if (reading.state.status === 'NONE') return 0n;
  const { chainId, termsHash } = deposit;
  const escrow = registry.chain(chainId)?.escrow ?? '';
  const facts = await database.chainFact.findMany({
    where: { chainId, ref: termsHash, kind: 'Authorized', status: { not: 'ORPHANED' } },
    select: { txHash: true, blockHash: true, blockNumber: true },
  });
  for (const { txHash, blockHash, blockNumber } of facts) {
    if (blockNumber > view.head.number || (await view.blockAt(blockNumber))?.hash !== blockHash) continue;
    const sent = await nodes
      .asking(chainId, (client) => client.getTransaction({ hash: hexOf(txHash) }))
      .catch(() => null);
    if (!sent) continue;
    const isCall = sent.to?.toLowerCase() === escrow.toLowerCase();
    // A batch carries the call inside its own; data after the arguments of any other call of the escrow has no meaning.
    const isCollecting = isCall ? sent.input.startsWith(COLLECTING) : sent.input.includes(COLLECTING.slice(2));
    return isCollecting ? toBigInt(deposit.amount) : 0n;
  }
  return null;
}
