/** A snapshot of a Solana chain from its node: its final slot, its newest slot, and the block in a slot. */
import type { Connection, Finality } from '@solana/web3.js';
import type { BlockPlace, ChainView } from '../chain-view.ts';

export type SolanaView = ChainView & {
  /** The newest confirmed slot according to the node. */
  newest: BlockPlace;
};

/**
 * Heights are slots. Confirmed and finalized are the same here, because only final transactions are applied. A final slot has all
 * required confirmations and a later slot does not, however far ahead the node's head is; `head` is computed accordingly.
 * Makes at most four requests.
 */
export async function readSolanaView(
  connection: Connection,
  chain: { chainId: number; confirmations: number },
): Promise<SolanaView> {
  const [finalizedSlot, newestSlot] = await Promise.all([
    connection.getSlot('finalized'),
    connection.getSlot('confirmed'),
  ]);
  const [finalized, newest] = await Promise.all([
    standing(connection, finalizedSlot, 'finalized'),
    standing(connection, newestSlot, 'confirmed'),
  ]);
  const required = chain.confirmations;
  const head = { ...newest, number: finalized.number + BigInt(required - 1) };
  const blockAt = (number: bigint) => readSlot(connection, Number(number), 'confirmed');
  return { chainId: chain.chainId, required, head, newest, confirmed: finalized, finalized, blockAt };
}

/** Returns the block of a slot, or null if the slot was skipped or is not known yet. */
export async function readSlot(connection: Connection, slot: number, commitment: Finality): Promise<BlockPlace | null> {
  const block = await connection.getBlock(slot, {
    commitment,
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: 0,
  });
  if (!block) return null;
  const time = block.blockTime ?? (await connection.getBlockTime(slot));
  return time === null ? null : { number: BigInt(slot), hash: block.blockhash, timestamp: BigInt(time) };
}

async function standing(connection: Connection, slot: number, commitment: Finality): Promise<BlockPlace> {
  const block = await readSlot(connection, slot, commitment);
  if (block) return block;
  throw new Error(`The node reports slot ${slot} but has no block for it.`);
}
