import type { TransactionReceipt } from 'viem';
import { isBatch } from '../batches/batch.ts';
import type { SendingWorld } from '../sending-world.ts';
import { batchItems, type OpenOutgoing } from '../store.ts';
import { costUsd, type GasPaid, gasCostWei, shareCost } from './gas-cost.ts';

type MinedOutgoing = { outgoing: OpenOutgoing; receipt: TransactionReceipt };

/**
 * Passes what the gas of transactions in blocks at the required depth cost to the hook `onGasPaid`, whether they succeeded or not. The items
 * of a batch bear equal shares of its cost, including items that failed in it. Transactions that belong to no payment are left out, unless
 * the hook `bearsGas` names their purpose.
 */
export async function bookGas(world: SendingWorld, mined: readonly MinedOutgoing[]): Promise<void> {
  const { database, hooks } = world;
  if (!hooks.onGasPaid || mined.length === 0) return;
  const batches = mined.filter(({ outgoing }) => isBatch(outgoing)).map(({ outgoing }) => outgoing.id);
  const items = Map.groupBy(await batchItems(database, batches), ({ batchId }) => batchId);
  const costs = mined.flatMap(({ outgoing, receipt }) => {
    const wei = gasCostWei(receipt);
    if (wei === null) return [];
    const bearers = isBatch(outgoing) ? (items.get(outgoing.id) ?? []) : [outgoing];
    const shares = shareCost(wei, bearers.length);
    return bearers.map(({ id, purpose, transactionId }, index) => {
      return { outgoingId: id, purpose, transactionId, wei: shares[index] ?? 0n };
    });
  });
  const borne = costs.filter(({ purpose, transactionId }) => transactionId !== null || hooks.bearsGas?.(purpose));
  if (borne.length === 0) return;
  const price = await world.coinPrice();
  const paid: GasPaid[] = borne.map((cost) => ({ ...cost, usd: price === null ? null : costUsd(cost.wei, price) }));
  await hooks.onGasPaid(database, paid);
}
