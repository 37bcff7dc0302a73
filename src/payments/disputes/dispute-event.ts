import type { Dispute, DisputeEvidence, DisputeFile } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { disputeFields } from './dispute-fields.ts';

/** Evidence that one side has submitted, without its content, which only callers with access to the dispute can read. */
export function submissionFields(submitted: DisputeEvidence | DisputeFile) {
  const { id, party, createdAt } = submitted;
  const common = { id, party, createdAt: createdAt.toISOString() };
  if (!('sizeBytes' in submitted))
    return { kind: 'EVIDENCE', ...common, name: null, contentType: null, sizeBytes: null };
  const { name, contentType, sizeBytes } = submitted;
  return { kind: 'FILE', ...common, name, contentType, sizeBytes };
}

/** Returns the event about evidence that one side has submitted. */
export function evidenceEvent(dispute: Dispute, submitted: DisputeEvidence | DisputeFile): NewEvent {
  return {
    type: 'dispute.evidence_submitted',
    resourceId: dispute.id,
    data: { ...disputeFields(dispute), submission: submissionFields(submitted) },
  };
}
