import { traced } from '../platform/request-trace.ts';
import { followMined } from './follow-mined.ts';
import { locateMined } from './locate-mined.ts';
import { raiseFees } from './raise-fees.ts';
import { readSender } from './read-sender.ts';
import { resendTransactions } from './resend-transactions.ts';
import type { SendingWorld } from './sending-world.ts';
import { signTransaction } from './sign-transaction.ts';
import { simulateTransaction } from './simulate-transaction.ts';
import { queuedTransactions, unminedTransactions } from './store.ts';

/**
 * One turn of the pump of one sender on one chain: finds what was mined, hands the unmined to the nodes again, raises
 * fees of what is stuck, and signs and sends what waits, up to the limit in flight. Does nothing, and answers false,
 * while another process turns the same pump.
 *
 * Correct from any crash: what is signed is stored before it is sent, every write is a compare-and-set, and a nonce is
 * given to one transaction until the chain has used it. A node that fails ends the turn (throws); the next goes on.
 */
export async function pumpTransactions(world: SendingWorld): Promise<boolean> {
  const { chainId } = world.chain;
  return await world.locks.tryWith(`send:${chainId}:${world.signer.address.toLowerCase()}`, () => turn(world));
}

async function turn(world: SendingWorld): Promise<void> {
  const key = { chainId: world.chain.chainId, sender: world.signer.address.toLowerCase() };
  const view = await readSender(world);
  await followMined(world, view);
  const unmined = await locateMined(world, { view, unmined: await unminedTransactions(world.database, key) });
  await raiseFees(world, { view, unmined });
  await resendTransactions(world, await unminedTransactions(world.database, key));
  const free = world.limits.inFlight - unmined.length;
  if (free <= 0) return;
  const queued = await queuedTransactions(world.database, { ...key, now: world.clock.now(), limit: free });
  for (const outgoing of queued) {
    const simulation = await traced(outgoing.requestId, () => simulateTransaction(world, outgoing));
    if (simulation.kind === 'NO_FUNDS') {
      world.log.error(key, 'The sender has too little of the native coin to pay for gas.');
      return;
    }
    if (simulation.kind === 'REVERT') continue;
    const { gasLimit } = simulation;
    const attempt = await traced(outgoing.requestId, () => signTransaction(world, { outgoing, gasLimit, view }));
    if (!attempt) return;
  }
  const signed = await unminedTransactions(world.database, key);
  await resendTransactions(
    world,
    signed.filter((row) => row.status === 'SIGNED'),
  );
}
