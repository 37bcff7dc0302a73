import { isAddress, isHex } from 'viem';
import { type OutgoingTransaction, transaction } from '../../prisma/client.ts';
import { callFault } from '../chains/evm/classify-answer.ts';
import type { RevertVerdict } from '../escrow/classify-revert.ts';
import { endWithoutEffect } from './batches/conclude-batch.ts';
import { failedStatus, isGivenUp, MAX_TRANSACTION_GAS, simulationDelayMs } from './outgoing-transaction.ts';
import type { SendingWorld } from './sending-world.ts';

export type Simulation = { kind: 'OK'; gasLimit: bigint } | { kind: 'REVERT' } | { kind: 'NO_FUNDS' };

/**
 * Runs a queued transaction against the newest block, without a nonce. After a revert that may pass, the simulation is retried with
 * growing pauses, and the transaction is abandoned (FAILED, hook) when its limit is reached; the same applies if it needs more gas than
 * it may use. After a revert that can never pass it is abandoned at once (CANCELLED if another call has overtaken it). Throws if the
 * node itself fails.
 */
export async function simulateTransaction(world: SendingWorld, outgoing: OutgoingTransaction): Promise<Simulation> {
  try {
    const gasLimit = await gasLimitOf(world, outgoing);
    if (gasLimit !== null) return { kind: 'OK', gasLimit };
    const most = maxGasOf(outgoing);
    await countFailure(world, { outgoing, error: `It needs more than ${most} gas.`, verdict: 'PASSES' });
    return { kind: 'REVERT' };
  } catch (error) {
    const fault = callFault(error);
    if (fault === null) throw error;
    if (fault.kind === 'NO_FUNDS') return { kind: 'NO_FUNDS' };
    const { data, message } = fault;
    await countFailure(world, {
      outgoing,
      error: data === null ? message : world.describeRevert(data),
      verdict: data === null ? 'PASSES' : world.classifyRevert(data),
    });
    return { kind: 'REVERT' };
  }
}

/**
 * Returns the gas that it needs plus a quarter, up to its limit, because the state may change until it is mined. Null if it needs more
 * than its limit.
 */
export async function gasLimitOf(
  { client, signer }: Pick<SendingWorld, 'client' | 'signer'>,
  outgoing: Pick<OutgoingTransaction, 'toAddress' | 'data' | 'valueWei' | 'maxGas'>,
): Promise<bigint | null> {
  const call = callOf(outgoing);
  const estimate = await client.estimateGas({ account: signer.address, ...call });
  const most = maxGasOf(outgoing);
  if (estimate > most) return null;
  const ample = estimate + estimate / 4n + 10_000n;
  return ample < most ? ample : most;
}

function maxGasOf({ maxGas }: Pick<OutgoingTransaction, 'maxGas'>): bigint {
  return maxGas ?? MAX_TRANSACTION_GAS;
}

export function callOf(outgoing: Pick<OutgoingTransaction, 'toAddress' | 'data' | 'valueWei'>) {
  const { toAddress: to, data } = outgoing;
  if (!isAddress(to, { strict: false }) || !isHex(data)) throw new Error('An outgoing row is not a call.');
  return { to, data, value: BigInt(outgoing.valueWei.toFixed(0)) };
}

async function countFailure(
  world: SendingWorld,
  { outgoing, error, verdict }: { outgoing: OutgoingTransaction; error: string; verdict: RevertVerdict },
): Promise<void> {
  const { database, clock, log } = world;
  const failures = outgoing.failures + 1;
  const final = isGivenUp(verdict, { failures, maxFailures: outgoing.maxFailures });
  await transaction(database, async (tx) => {
    const counted = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED', failures: outgoing.failures },
      data: {
        failures,
        error,
        waitsFor: null,
        notBefore: new Date(clock.now().getTime() + simulationDelayMs(verdict, failures)),
        ...(final ? { status: failedStatus(verdict) } : {}),
      },
    });
    if (counted.count === 1 && final) await endWithoutEffect(tx, world, { ...outgoing, error, verdict });
  });
  const fields = { outgoingId: outgoing.id, purpose: outgoing.purpose, failures, error, verdict };
  if (final && verdict === 'OVERTAKEN')
    log.info(fields, 'A transaction is cancelled, because another one was mined first.');
  else if (final) log.error(fields, 'A transaction is abandoned, because its simulation fails.');
  else log.warn(fields, 'A simulation failed. It will be retried.');
}
