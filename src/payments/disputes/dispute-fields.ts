/** The scalar fields of a dispute, as the API returns them and events carry them. */
import type { Dispute } from '../../../prisma/client.ts';

export function disputeFields(dispute: Dispute) {
  return {
    id: dispute.id,
    paymentIntentId: dispute.paymentIntentId,
    reason: dispute.reason,
    evidence: dispute.evidence,
    status: dispute.status,
    payerBps: dispute.payerBps,
    deadline: dispute.deadline.toISOString(),
    createdAt: dispute.createdAt.toISOString(),
    resolvedAt: dispute.resolvedAt?.toISOString() ?? null,
  };
}
