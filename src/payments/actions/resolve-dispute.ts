import { type Address, isAddressEqual } from 'viem';
import type { DatabaseTransaction, Dispute } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { GatewayError, invalid, notFound } from '../../errors.ts';
import { type Call, concedeCall, resolveCall } from '../../escrow/calldata.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ActionWorld } from './action-world.ts';
import { type HeldPayment, heldPayment, requireNoMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';

/** A merchant may only concede everything; the arbiter may choose any split. */
export type Resolver = { kind: 'merchant'; scope: Scope } | { kind: 'arbiter' };

export const ALL_BPS = 10_000;

/**
 * Resolves an open dispute: `payerBps` (0 to 10000) of what is left goes to the payer. A merchant may only concede (10000);
 * anything else throws AUTHORIZATION_ERROR. Records and queues a RESOLVE transaction, signed with the operator's key for a
 * concession and with the arbiter's otherwise; the contract's event resolves the dispute. Throws NOT_FOUND, INVALID_STATE and
 * VALIDATION_ERROR.
 */
export async function resolveDispute(
  world: ActionWorld & { arbiter: { address: Address } | null },
  request: { disputeId: string; payerBps: number; by: Resolver; idempotency?: IdempotencyRequest | undefined },
): Promise<Dispute> {
  const { payerBps, by } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    if (!Number.isInteger(payerBps) || payerBps < 0 || payerBps > ALL_BPS) {
      throw invalid([{ param: 'payerBps', message: `must be an integer from 0 to ${ALL_BPS}` }]);
    }
    if (by.kind === 'merchant' && payerBps !== ALL_BPS) {
      throw new GatewayError('AUTHORIZATION_ERROR', 'A merchant may only concede a dispute: payerBps 10000.');
    }
    return await write(async (tx) => {
      const { dispute, held, appId } = await readOpen(tx, { world, request });
      const { call, sender } = decision(world, { held, payerBps, by });
      await requestTransaction(tx, {
        paymentIntentId: dispute.paymentIntentId,
        chainId: held.chain.chainId,
        termsHash: held.termsHash,
        type: 'RESOLVE',
        call,
        amount: held.remainingAmount,
        sender,
      });
      const { id, status, paymentIntentId } = dispute;
      await recordAction(tx, {
        action: by.kind === 'merchant' ? 'dispute.conceded' : 'dispute.resolved',
        owner: { appId },
        target: { type: 'Dispute', id },
        before: { status, paymentIntentId },
        after: { payerBps, leftAmount: held.remainingAmount, paymentIntentId },
      });
      return dispute;
    });
  });
}

async function readOpen(
  tx: DatabaseTransaction,
  { world, request }: { world: ActionWorld; request: { disputeId: string; by: Resolver } },
): Promise<{ dispute: Dispute; held: HeldPayment; appId: string }> {
  const found = await tx.dispute.findUnique({ where: { id: request.disputeId } });
  if (!found) throw notFound('dispute');
  const scope = request.by.kind === 'merchant' ? request.by.scope : null;
  const intent = await lockPayment(tx, { id: found.paymentIntentId, scope }).catch((error: unknown) => {
    throw error instanceof GatewayError && error.code === 'NOT_FOUND' ? notFound('dispute') : error;
  });
  const dispute = await tx.dispute.findUniqueOrThrow({ where: { id: found.id } });
  if (dispute.status !== 'OPEN') {
    throw new GatewayError('INVALID_STATE', `The dispute is ${dispute.status}: it cannot be resolved again.`);
  }
  const held = await heldPayment(tx, { registry: world.registry, intent });
  await requireNoMoneyOut(tx, held);
  return { dispute, held, appId: intent.appId };
}

function decision(
  world: ActionWorld & { arbiter: { address: Address } | null },
  { held, payerBps, by }: { held: HeldPayment; payerBps: number; by: Resolver },
): { call: Call; sender: Address } {
  if (by.kind === 'merchant') return { call: concedeCall(held), sender: world.operator.address };
  if (world.arbiter === null || !isAddressEqual(world.arbiter.address, held.terms.arbiter)) {
    throw new GatewayError(
      'INVALID_STATE',
      `The arbiter of this payment is ${held.terms.arbiter}. This installation does not have its key.`,
    );
  }
  return { call: resolveCall({ ...held, payerBps }), sender: world.arbiter.address };
}
