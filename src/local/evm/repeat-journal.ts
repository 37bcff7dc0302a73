import { z } from 'zod';
import type { NodeConnection } from './ask-node.ts';
import type { JournalBlock, NodeCall, Turn } from './chain-journal.ts';

const minedShape = z.array(z.object({ hash: z.string(), number: z.string().transform(Number) })).length(1);
const fromShape = z.looseObject({ from: z.string() });

/**
 * Replays the journal on a node that has loaded its snapshot. A block's hash depends on its parent, time, base fee and transactions, so the
 * same blocks result. Returns the first block that differs, if any. The chain then continues as after a reorganization.
 */
export async function repeatJournal(
  node: NodeConnection,
  turns: Turn[],
): Promise<{ head: number | undefined; differsFrom: JournalBlock | undefined }> {
  let head: number | undefined;
  let differsFrom: JournalBlock | undefined;
  for (const { calls, blocks } of turns) {
    for (const { method, params } of calls) await node.result(method, params);
    for (const block of blocks) {
      // A node that has loaded its chain would compute the base fee from other blocks than the node that mined them.
      await node.result('anvil_setNextBlockBaseFeePerGas', [block.baseFeePerGas]);
      for (const call of block.sends) await sendAgain(node, call);
      await node.result('evm_setNextBlockTimestamp', [block.timestamp]);
      const [mined] = minedShape.parse(await node.result('evm_mine_detailed'));
      head = mined?.number;
      if (mined?.hash !== block.hash) differsFrom ??= block;
    }
  }
  return { head, differsFrom };
}

/** If a transaction is rejected, the block differs, and its hash shows it. */
async function sendAgain(node: NodeConnection, call: NodeCall): Promise<void> {
  const sender = call.method === 'eth_sendTransaction' ? fromShape.parse(call.params[0]).from : undefined;
  if (sender !== undefined) await node.result('anvil_impersonateAccount', [sender]);
  await node.answer(call);
  if (sender !== undefined) await node.result('anvil_stopImpersonatingAccount', [sender]);
}
