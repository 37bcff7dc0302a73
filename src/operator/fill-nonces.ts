import { type DatabaseTransaction, transaction } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { firstFees, TRANSFER_GAS } from './outgoing-transaction.ts';
import type { SenderView } from './read-sender.ts';
import type { SendingWorld } from './sending-world.ts';
import { signAttempt } from './sign-transactions.ts';
import { missingNonces } from './store.ts';

/**
 * Uses up nonces that no transaction of this installation has and that its transactions wait for: someone else with the key used them,
 * and a reorganization removed their transactions. Writes a SIGNED empty transfer to the sender itself for each, up to the limit in
 * flight, and reports none of them. If the node only lagged, or the foreign transaction is mined again, the row ends CANCELLED. Waits
 * while the base fee is above the cap.
 */
export async function fillNonces(world: SendingWorld, view: SenderView): Promise<void> {
  const { database, chain, clock, limits, log, signer } = world;
  const key = { chainId: chain.chainId, sender: signer.address.toLowerCase() };
  const missing = await missingNonces(database, { ...key, from: view.nonceUsedBelow, limit: limits.inFlight });
  const fees = missing.length > 0 ? firstFees(view.suggested, view.baseFeeWei, chain.maxFeePerGasWei) : null;
  if (fees === null) return;
  for (const nonce of missing) {
    const call = { to: signer.address, data: '0x', value: 0n } as const;
    const attempt = await signAttempt(world, { call, nonce, gasLimit: TRANSFER_GAS, fees });
    await transaction(database, (tx) => store(tx, { ...key, nonce, attempt, now: clock.now() }));
    log.error({ ...key, nonce: String(nonce) }, 'A nonce that blocks later transactions is free again, and is filled.');
  }
}

type Filling = {
  chainId: number;
  sender: string;
  nonce: bigint;
  attempt: Awaited<ReturnType<typeof signAttempt>>;
  now: Date;
};

/** Uses one row for each nonce. If the nonce was filled before and the foreign transaction was mined instead, its row is reused. */
async function store(tx: DatabaseTransaction, { chainId, sender, nonce, attempt, now }: Filling): Promise<void> {
  const purpose = `fill-nonce:${chainId}:${sender}:${nonce}`;
  const filling = { status: 'SIGNED', nonce, txHash: attempt.hash } as const;
  const again = await tx.outgoingTransaction.updateMany({ where: { purpose, status: 'CANCELLED' }, data: filling });
  if (again.count === 0) {
    await tx.outgoingTransaction.create({
      data: {
        ...filling,
        id: newId(),
        chainId,
        sender,
        toAddress: sender,
        data: '0x',
        purpose,
        abandonedAt: now,
        error: 'A reorganization removed a transaction that someone else had sent with this nonce',
      },
    });
  }
  const { id: outgoingId } = await tx.outgoingTransaction.findUniqueOrThrow({ where: { purpose } });
  // With the same fees as last time, it would be the same transaction.
  await tx.outgoingAttempt.upsert({
    where: { hash: attempt.hash },
    create: { outgoingId, nonce, gasLimit: TRANSFER_GAS, cancels: true, createdAt: now, ...attempt },
    update: {},
  });
}
