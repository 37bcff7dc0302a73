import { isAddress, isHex } from 'viem';
import { type OutgoingTransaction, transaction } from '../../prisma/client.ts';
import { callFault } from '../chains/evm/classify-answer.ts';
import { retryDelayMs } from './outgoing-transaction.ts';
import type { SendingWorld } from './sending-world.ts';

export type Simulation = { kind: 'OK'; gasLimit: bigint } | { kind: 'REVERT' } | { kind: 'NO_FUNDS' };

/**
 * Runs a queued transaction against the newest block, without a nonce. A revert counts as a failure: it is tried again
 * after a growing wait, and given up (FAILED, hook) when its limit is reached. Throws where the node itself fails.
 */
export async function simulateTransaction(world: SendingWorld, outgoing: OutgoingTransaction): Promise<Simulation> {
  try {
    return { kind: 'OK', gasLimit: await gasLimitOf(world, outgoing) };
  } catch (error) {
    const fault = callFault(error);
    if (fault === null) throw error;
    if (fault.kind === 'NO_FUNDS') return { kind: 'NO_FUNDS' };
    const words = fault.data === null ? fault.message : world.describeRevert(fault.data);
    await countFailure(world, { outgoing, error: words });
    return { kind: 'REVERT' };
  }
}

/** The gas it needs, and a quarter more, for the state may change until it is mined. */
export async function gasLimitOf(
  { client, signer }: Pick<SendingWorld, 'client' | 'signer'>,
  outgoing: Pick<OutgoingTransaction, 'toAddress' | 'data' | 'valueWei'>,
): Promise<bigint> {
  const call = callOf(outgoing);
  const estimate = await client.estimateGas({ account: signer.address, ...call });
  return estimate + estimate / 4n + 10_000n;
}

export function callOf(outgoing: Pick<OutgoingTransaction, 'toAddress' | 'data' | 'valueWei'>) {
  const { toAddress: to, data } = outgoing;
  if (!isAddress(to, { strict: false }) || !isHex(data)) throw new Error('An outgoing row is not a call.');
  return { to, data, value: BigInt(outgoing.valueWei.toFixed(0)) };
}

async function countFailure(
  { database, clock, hooks, log }: SendingWorld,
  { outgoing, error }: { outgoing: OutgoingTransaction; error: string },
): Promise<void> {
  const failures = outgoing.failures + 1;
  const final = failures >= outgoing.maxFailures;
  await transaction(database, async (tx) => {
    const counted = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED', failures: outgoing.failures },
      data: {
        failures,
        error,
        notBefore: new Date(clock.now().getTime() + retryDelayMs(failures)),
        ...(final ? { status: 'FAILED' as const } : {}),
      },
    });
    if (counted.count === 1 && final) await hooks.onFailed(tx, { ...outgoing, error });
  });
  const fields = { outgoingId: outgoing.id, purpose: outgoing.purpose, failures, error };
  if (final) log.error(fields, 'A transaction is given up: its simulation fails.');
  else log.warn(fields, 'A simulation failed; it is tried again.');
}
