import type {
  Database,
  DatabaseTransaction,
  ExactAuthorization,
  OutgoingTransaction,
} from '../../../../prisma/client.ts';
import { canonicalSignature } from '../../../chains/evm/signature.ts';
import { transferCall } from '../../../chains/evm/transfer-authorization.ts';
import { enqueueTransaction } from '../../../operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../../operator/relay.ts';
import { isId, newId } from '../../../platform/identifier.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { hex } from './exact-authorization.ts';
import { MAX_TRANSFER_GAS } from './verify-exact.ts';

/** A payer whose transfers pass the simulation and revert in their blocks must not use up the installation's gas. */
const SENDS_LIMIT = 3;

/**
 * Queues the transfer of an authorization unless one is pending; the caller holds the authorization's lock. It is sent again after a
 * reorganization, or after it failed, up to three times in all. The watch does not send a contract's transfer again once it has reverted in a
 * block. The token uses each nonce once, so that sending it twice moves nothing twice.
 */
export async function sendTransfer(tx: DatabaseTransaction, authorization: ExactAuthorization): Promise<boolean> {
  const { chainId, token, paymentIntentId, paymentKey, amount } = authorization;
  const prefix = purposePrefix(authorization);
  const sent = await tx.outgoingTransaction.findMany({
    where: { purpose: { startsWith: prefix } },
    select: { status: true, abandonedAt: true },
  });
  if (sent.some(isUnderWay) || sent.length >= SENDS_LIMIT) return false;
  const call = transferCall(hex(token), signedOf(authorization), canonicalSignature(hex(authorization.signature)));
  const transactionId = newId();
  if (paymentIntentId !== null) {
    const step = { paymentIntentId, chainId, type: 'SETTLE' as const, termsHash: paymentKey, amount };
    await tx.transaction.create({ data: { id: transactionId, ...step } });
  }
  await enqueueTransaction(tx, {
    chainId,
    sender: RELAY_SENDER,
    to: call.to,
    data: call.data,
    purpose: `${prefix}${sent.length}`,
    ...(paymentIntentId === null ? {} : { transactionId }),
    maxGas: MAX_TRANSFER_GAS,
  });
  return true;
}

/**
 * The authorizations that nothing sends, and that may be sent again, by their ids. To be confirmed under the lock of each. `hasReverted`:
 * a transfer has reverted in a block.
 */
export async function findUnsent(
  database: Database,
  authorizations: readonly Pick<ExactAuthorization, 'id'>[],
): Promise<Map<string, { hasReverted: boolean }>> {
  const purposesOf = (authorization: Pick<ExactAuthorization, 'id'>) =>
    Array.from({ length: SENDS_LIMIT }, (_, number) => `${purposePrefix(authorization)}${number}`);
  const sent = await database.outgoingTransaction.findMany({
    where: { purpose: { in: authorizations.flatMap(purposesOf) } },
    select: { purpose: true, status: true, abandonedAt: true, blockNumber: true },
  });
  const byPurpose = new Map(sent.map((one) => [one.purpose, one]));
  const unsent = new Map<string, { hasReverted: boolean }>();
  for (const authorization of authorizations) {
    const own = purposesOf(authorization).flatMap((purpose) => byPurpose.get(purpose) ?? []);
    if (own.length >= SENDS_LIMIT || own.some(isUnderWay)) continue;
    const hasReverted = own.some(({ status, blockNumber }) => status === 'FAILED' && blockNumber !== null);
    unsent.set(authorization.id, { hasReverted });
  }
  return unsent;
}

function isUnderWay({ status, abandonedAt }: Pick<OutgoingTransaction, 'status' | 'abandonedAt'>): boolean {
  return status !== 'FAILED' && status !== 'CANCELLED' && abandonedAt === null;
}

/** Drops transfers that are no longer needed. One that has a nonce is abandoned, and fails if it is mined after all. */
export async function dropTransfers(
  tx: DatabaseTransaction,
  request: { authorization: ExactAuthorization; txHash: string; now: Date },
): Promise<void> {
  const { authorization, txHash, now } = request;
  const open = await tx.outgoingTransaction.findMany({
    where: {
      purpose: { startsWith: purposePrefix(authorization) },
      status: { in: ['QUEUED', 'SIGNED', 'SENT'] },
      abandonedAt: null,
      attempts: { none: { hash: txHash } },
    },
    select: { id: true, status: true, transactionId: true },
  });
  const error = 'The authorization was used or canceled by another transaction.';
  for (const { id, status, transactionId } of open) {
    if (status !== 'QUEUED') {
      await tx.outgoingTransaction.updateMany({
        where: { id, status: { in: ['SIGNED', 'SENT'] } },
        data: { abandonedAt: now, error },
      });
      continue;
    }
    const dropped = await tx.outgoingTransaction.updateMany({
      where: { id, status: 'QUEUED' },
      data: { status: 'CANCELLED', error },
    });
    if (dropped.count === 0 || transactionId === null) continue;
    await tx.transaction.updateMany({
      where: { id: transactionId, status: { in: ['PENDING', 'REORGED'] } },
      data: { status: 'FAILED', error },
    });
  }
}

function purposePrefix({ id }: Pick<ExactAuthorization, 'id'>): string {
  return `exact:${id}:`;
}

/** The id of the authorization that a transaction of this purpose transfers, or null for every other purpose. */
export function authorizationOf(purpose: string): string | null {
  const [kind, id] = purpose.split(':');
  return kind === 'exact' && id !== undefined && isId(id) ? id : null;
}

function signedOf(authorization: ExactAuthorization) {
  const { payer, payTo, amount, validAfter, validBefore, nonce } = authorization;
  return {
    from: hex(payer),
    to: hex(payTo),
    value: toBigInt(amount),
    validAfter,
    validBefore,
    nonce: hex(nonce),
  };
}
