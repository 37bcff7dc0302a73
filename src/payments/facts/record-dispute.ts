import type { DatabaseTransaction, Dispute, DisputeStatus } from '../../../prisma/client.ts';
import { agreedTerms } from '../../escrow/agreed-terms.ts';
import { newId } from '../../platform/identifier.ts';
import { blockTime, isForPayer, type PaymentState } from '../fold.ts';
import type { PaymentEvidence } from './folding-world.ts';

const FULL_BPS = 10_000;

/** Updates the intent's dispute to the contract's state; deletes it if a reorganization removed it. */
export async function recordDispute(
  tx: DatabaseTransaction,
  { evidence, state }: { evidence: PaymentEvidence; state: PaymentState },
): Promise<Dispute | null> {
  const { paymentIntentId, chainId, termsHash, terms } = evidence.terms;
  if (!state.dispute) {
    await tx.dispute.deleteMany({ where: { paymentIntentId } });
    return null;
  }
  const openedAt = blockTime(state.dispute);
  const deadline = new Date(openedAt.getTime() + agreedTerms(terms).disputeTimeout * 1000);
  const found = { ...outcome(state), deadline };
  const existing = await tx.dispute.findUnique({ where: { paymentIntentId } });
  if (existing) return await tx.dispute.update({ where: { id: existing.id }, data: found });
  const request = await tx.disputeRequest.findFirst({
    where: { paymentIntentId, chainId, termsHash },
    orderBy: { createdAt: 'desc' },
  });
  return await tx.dispute.create({
    data: {
      id: newId(),
      paymentIntentId,
      reason: request?.reason ?? null,
      evidence: request?.evidence ?? null,
      createdAt: openedAt,
      ...found,
    },
  });
}

function outcome(state: PaymentState): { status: DisputeStatus; payerBps: number | null; resolvedAt: Date | null } {
  const { resolution, refund } = state;
  if (resolution) {
    const { payerAmount, payerBps } = resolution.event;
    const split = payerAmount === 0n ? 'RESOLVED_MERCHANT' : 'RESOLVED_SPLIT';
    return { status: isForPayer(resolution) ? 'RESOLVED_PAYER' : split, payerBps, resolvedAt: blockTime(resolution) };
  }
  if (state.status === 'REFUNDED' && refund) {
    return { status: 'RESOLVED_PAYER', payerBps: FULL_BPS, resolvedAt: blockTime(refund) };
  }
  return { status: 'OPEN', payerBps: null, resolvedAt: null };
}
