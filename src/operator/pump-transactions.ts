import { traced } from '../platform/request-trace.ts';
import { formBatches } from './batches/form-batches.ts';
import { fillNonces } from './fill-nonces.ts';
import { followMined } from './mined/follow-mined.ts';
import { locateMined } from './mined/locate-mined.ts';
import { raiseFees } from './raise-fees.ts';
import { readSender, type SenderView } from './read-sender.ts';
import { resendTransactions } from './resend-transactions.ts';
import type { SendingWorld } from './sending-world.ts';
import { type ReadyTransaction, signTransactions } from './sign-transactions.ts';
import { simulateTransaction } from './simulate-transaction.ts';
import { markWithGas, type OpenOutgoing, queuedTransactions, unminedTransactions } from './store.ts';
import { TAKEN_FOR_BATCHES, takeRelayed, waitForGas } from './take-relayed.ts';

/**
 * One turn of the pump of one sender on one chain: finds mined transactions, sends unmined ones to the nodes again, raises the fees of
 * stuck ones, and signs and sends queued ones, up to the limit in flight. Does nothing and returns false while another process runs the
 * same pump.
 *
 * It recovers from a crash at any point: a signed transaction is stored before it is sent, every write is a compare-and-set, and a nonce
 * belongs to one transaction until the chain has used it. A failing node ends the turn (throws), and the next turn continues.
 */
export async function pumpTransactions(world: SendingWorld): Promise<boolean> {
  const { chainId } = world.chain;
  return await world.locks.tryWith(`send:${chainId}:${world.signer.address.toLowerCase()}`, () => turn(world));
}

async function turn(world: SendingWorld): Promise<void> {
  const key = { chainId: world.chain.chainId, sender: world.signer.address.toLowerCase() };
  const view = await readSender(world);
  await followMined(world, view);
  const waiting = await unminedTransactions(world.database, key);
  const unmined = await locateMined(world, { view, unmined: waiting });
  await fillNonces(world, view);
  await raiseFees(world, { view, unmined });
  await resendTransactions(world, await unminedTransactions(world.database, key));
  await takeRelayed(world, { view, unmined });
  const free = world.limits.inFlight - unmined.length;
  const sent = free > 0 ? await sendQueued(world, { ...key, view, unmined, limit: free }) : 0;
  // Transactions found in a block may be resolved now, and transactions that were sent may be in a block.
  if (sent > 0 || unmined.length < waiting.length) world.goOn?.();
}

type Sending = {
  chainId: number;
  sender: string;
  view: SenderView;
  unmined: readonly OpenOutgoing[];
  limit: number;
};

/** Signs and sends queued transactions, oldest first, and returns their number. A node's error is thrown once the others are sent. */
async function sendQueued(world: SendingWorld, { chainId, sender, view, unmined, limit }: Sending): Promise<number> {
  const now = world.clock.now();
  const most = world.batching ? Math.max(limit, TAKEN_FOR_BATCHES) : limit;
  const queued = await queuedTransactions(world.database, { chainId, sender, now, limit: most });
  const { batches, singles } = await formBatches(world, { queued, free: limit, view, unmined });
  const simulated = await Promise.allSettled(
    singles.map((outgoing) => traced(outgoing.requestId, () => simulateTransaction(world, outgoing))),
  );
  const ready: ReadyTransaction[] = [...batches];
  let isUnpaid = false;
  for (const [index, outgoing] of singles.entries()) {
    const simulation = simulated[index];
    if (simulation?.status !== 'fulfilled') continue;
    if (simulation.value.kind === 'NO_FUNDS') {
      isUnpaid = true;
      break;
    }
    if (simulation.value.kind === 'OK') ready.push({ outgoing, gasLimit: simulation.value.gasLimit });
  }
  const funded = ready.filter(({ outgoing }) => outgoing.waitsFor !== null);
  await markWithGas(
    world.database,
    funded.map(({ outgoing }) => outgoing.id),
  );
  const isSigned = await signTransactions(world, { ready, view });
  if (isSigned) {
    const signed = await unminedTransactions(world.database, { chainId, sender });
    await resendTransactions(
      world,
      signed.filter((row) => row.status === 'SIGNED'),
    );
  }
  if (isUnpaid) await waitForGas(world);
  for (const simulation of simulated) if (simulation.status === 'rejected') throw simulation.reason;
  return isSigned ? ready.length : 0;
}
