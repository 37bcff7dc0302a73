import { type Database, type DisputeEvidence, Prisma } from '../../../prisma/client.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { parseInput } from '../../platform/parse-input.ts';
import { evidenceEvent } from './dispute-event.ts';
import { ENTRIES, type EvidenceInput, evidenceSchema, hasFacts, type Submitter } from './evidence.ts';
import { lockOpenDispute } from './lock-open-dispute.ts';

/**
 * Adds an entry of one side to an open dispute, and appends `dispute.evidence_submitted`. Only the merchant states facts about the order.
 * Throws VALIDATION_ERROR, NOT_FOUND, and INVALID_STATE for a dispute that is resolved or already has `ENTRIES` of this side.
 */
export async function submitEvidence(
  world: { database: Database },
  request: {
    disputeId: string;
    by: Submitter;
    input: EvidenceInput;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<DisputeEvidence> {
  const { disputeId, by } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const { text, orderFacts } = parseInput(evidenceSchema, request.input);
    if (by.party === 'PAYER' && orderFacts) {
      throw invalid([{ param: 'orderFacts', message: 'can be sent only by the merchant' }]);
    }
    return await write(async (tx) => {
      const { dispute, appId } = await lockOpenDispute(tx, { disputeId, scope: by.scope });
      const { paymentIntentId } = dispute;
      const count = await tx.disputeEvidence.count({ where: { paymentIntentId, party: by.party } });
      if (count >= ENTRIES) {
        throw new GatewayError(
          'INVALID_STATE',
          `This side has already submitted ${ENTRIES} entries. Combine texts or attach a file.`,
        );
      }
      const entry = await tx.disputeEvidence.create({
        data: {
          id: newId(),
          paymentIntentId,
          party: by.party,
          submittedBy: by.name,
          text: text ?? null,
          orderFacts: hasFacts(orderFacts) ? JSON.parse(JSON.stringify(orderFacts)) : Prisma.DbNull,
        },
      });
      await appendEvents(tx, appId, [evidenceEvent(dispute, entry)]);
      return entry;
    });
  });
}
