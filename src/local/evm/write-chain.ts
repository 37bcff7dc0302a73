/**
 * Serializes everything that changes a local chain into turns. The node never mines by itself: a turn passes calls to it, mines the blocks
 * that they require, and writes the blocks to the journal. Only then are the turn's callers answered, and anyone who has read meanwhile. No
 * client therefore learns of a block that a restart would not restore.
 */
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { NodeAnswer, NodeConnection } from './ask-node.ts';
import type { ChainJournal, JournalBlock, NodeCall } from './chain-journal.ts';
import { repeatSend, type SentTransaction, sentTransaction } from './sent-transaction.ts';
import { writeKindOf } from './write-kind.ts';

export type ChainWriter = {
  /** Returns the node's response to a call that is not a read. Rejects when the node is gone. */
  write(call: NodeCall): Promise<NodeAnswer>;
  /** Resolves when everything that the node has exposed so far is in the journal. Rejects if it cannot be journaled. */
  settled(): Promise<void>;
  /** Waits for the work in progress, and takes a snapshot if the next start would have much to replay. */
  end(): Promise<void>;
};

type Waiting = { call: NodeCall; answer: (answer: NodeAnswer) => void; fail: (error: unknown) => void };

const sendsInATurn = 50;
const blocksForOneCall = 500;
/** Transactions that the pool rejected later are never mined. Beyond this number, the oldest are forgotten. */
const waitingLimit = 10_000;
const snapshotEveryBlocks = 2000;
const snapshotAtEndBlocks = 100;

const quantity = z.string().transform(Number);
const blockShape = z.object({
  number: quantity,
  hash: z.string(),
  timestamp: quantity,
  baseFeePerGas: z.string(),
  transactions: z.array(z.union([z.string(), z.object({ hash: z.string() }).transform(({ hash }) => hash)])),
});
const minedShape = z.array(blockShape).length(1);
const poolShape = z.object({ pending: quantity });

/**
 * `head` is the newest block in the journal. `genesisTimestamp` is written to the journal of each new snapshot. `fail` ends the node when a
 * turn could not be journaled; whatever the node did in that turn is not part of the chain.
 */
export function writeChain(
  node: NodeConnection,
  journal: ChainJournal,
  options: { head: number; genesisTimestamp: number; fail: () => void },
): ChainWriter {
  const waiting: Waiting[] = [];
  const sent = new Map<string, SentTransaction>();
  const impersonated = new Set<string>();
  let automine = true;
  let head = options.head;
  let snapshotBlocks = head;
  let running: Promise<void> | undefined;
  let turn: Promise<void> = Promise.resolve();
  let failure: unknown;

  const readBlock = async (number: number): Promise<z.infer<typeof blockShape>> =>
    blockShape.parse(await node.result('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]));

  const kept = async (block: z.infer<typeof blockShape>): Promise<JournalBlock> => {
    const sends: NodeCall[] = [];
    for (const hash of block.transactions) {
      sends.push(await repeatSend(node, { hash, sent: sent.get(hash) }));
      sent.delete(hash);
    }
    const { number, hash, timestamp, baseFeePerGas } = block;
    return { number, hash, timestamp, baseFeePerGas, sends };
  };

  const mineWaiting = async (): Promise<JournalBlock[]> => {
    const blocks: JournalBlock[] = [];
    while (blocks.length < blocksForOneCall) {
      const { pending } = poolShape.parse(await node.result('txpool_status'));
      if (pending === 0) break;
      const [mined] = minedShape.parse(await node.result('evm_mine_detailed'));
      if (!mined) break;
      blocks.push(await kept(mined));
      // The remaining transactions in the pool cannot be mined now, for example because their fee is too low.
      if (mined.transactions.length === 0) break;
    }
    return blocks;
  };

  const blocksSinceHead = async (): Promise<JournalBlock[]> => {
    const newest = quantity.parse(await node.result('eth_blockNumber'));
    const blocks: JournalBlock[] = [];
    for (let number = head + 1; number <= newest; number += 1) blocks.push(await kept(await readBlock(number)));
    return blocks;
  };

  const keep = async (calls: NodeCall[], blocks: JournalBlock[]): Promise<void> => {
    if (calls.length === 0 && blocks.length === 0) return;
    await journal.append({ calls, blocks });
    head = blocks.at(-1)?.number ?? head;
  };

  const takeSnapshot = async (): Promise<void> => {
    await journal.renew(await dumpState(node), { genesisTimestamp: options.genesisTimestamp });
    head = quantity.parse(await node.result('eth_blockNumber'));
    snapshotBlocks = head;
  };

  const send = async (batch: Waiting[]): Promise<() => void> => {
    const answers: NodeAnswer[] = [];
    for (const { call } of batch) {
      const answer = await node.answer(call);
      answers.push(answer);
      if (!('result' in answer) || typeof answer.result !== 'string') continue;
      sent.set(answer.result, sentTransaction(call, impersonated));
      const [oldest] = sent.size > waitingLimit ? sent.keys() : [];
      if (oldest !== undefined) sent.delete(oldest);
    }
    if (automine) await keep([], await mineWaiting());
    return () => {
      for (const [index, { answer }] of batch.entries()) answer(answers[index] ?? { result: null });
    };
  };

  const change = async ({ call, answer }: Waiting): Promise<() => void> => {
    const kind = writeKindOf(call.method);
    if (kind === 'refused') return () => answer({ error: refusal(call.method) });
    if (kind === 'automine') {
      automine = call.params[0] !== false;
      if (automine) await keep([], await mineWaiting());
      return () => answer({ result: null });
    }
    const answered = await node.answer(call);
    noteImpersonation(impersonated, call);
    if (kind === 'mine') await keep([], await blocksSinceHead());
    if (kind === 'set' && 'result' in answered) await keep([call], []);
    if (kind === 'other') await takeSnapshot();
    return () => answer(answered);
  };

  const takeTurn = async (batch: Waiting[]): Promise<() => void> => {
    const [first] = batch;
    if (!first || writeKindOf(first.call.method) === 'send') return send(batch);
    return change(first);
  };

  const run = async (): Promise<void> => {
    for (let batch = nextBatch(waiting); batch.length > 0; batch = nextBatch(waiting)) {
      const taken = takeTurn(batch);
      turn = taken.then(() => undefined);
      turn.catch(() => undefined);
      try {
        const respond = await taken;
        respond();
        // The chain must double in length before the next snapshot, so that the amount written stays proportional to it.
        if (journal.blocks() >= Math.max(snapshotEveryBlocks, snapshotBlocks)) await takeSnapshot();
      } catch (error) {
        failure = error;
        options.fail();
        for (const { fail } of [...batch, ...waiting.splice(0)]) fail(error);
      }
    }
  };

  return {
    write: (call) =>
      new Promise((answer, fail) => {
        if (failure !== undefined) return fail(failure);
        waiting.push({ call, answer, fail });
        running ??= run().finally(() => {
          running = undefined;
        });
      }),
    settled: () => turn,
    async end() {
      await running;
      if (failure === undefined && journal.blocks() >= snapshotAtEndBlocks) await takeSnapshot();
    },
  };
}

/** Waiting transactions are mined together. Every other call has its own turn. */
function nextBatch(waiting: Waiting[]): Waiting[] {
  let length = 0;
  while (length < sendsInATurn) {
    const next = waiting[length];
    if (!next || writeKindOf(next.call.method) !== 'send') break;
    length += 1;
  }
  return waiting.splice(0, Math.max(1, length));
}

/** Returns the whole chain in the form that the node loads. No block may be mined meanwhile, or the parts would be inconsistent. */
export async function dumpState(node: NodeConnection): Promise<Uint8Array> {
  const hex = z.string().parse(await node.result('anvil_dumpState'));
  const bytes = Buffer.from(hex.slice(2), 'hex');
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function noteImpersonation(impersonated: Set<string>, { method, params }: NodeCall): void {
  const account = String(params[0]).toLowerCase();
  if (/_impersonateAccount$/.test(method)) impersonated.add(account);
  if (/_stopImpersonatingAccount$/.test(method)) impersonated.delete(account);
  if (!/_autoImpersonateAccount$/.test(method)) return;
  if (params[0] === true) impersonated.add('everybody');
  else impersonated.delete('everybody');
}

function refusal(method: string): { code: number; message: string } {
  return {
    code: -32_601,
    message: `${method} is not available: the local chain mines each transaction when it arrives.`,
  };
}
