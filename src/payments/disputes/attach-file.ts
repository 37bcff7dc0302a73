import type { Database, DatabaseTransaction, DisputeFile } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { evidenceEvent } from './dispute-event.ts';
import { DISPUTE_BYTES, FILES, type Submitter } from './evidence.ts';
import { lockOpenDispute } from './lock-open-dispute.ts';

/** A file whose size and kind have been checked. */
export type ReceivedFile = {
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: Uint8Array<ArrayBuffer>;
  /** The content, in order. */
  pieces: readonly Uint8Array<ArrayBuffer>[];
};

/**
 * Attaches a file of one side to an open dispute, and appends `dispute.evidence_submitted`. The size of all files is counted under the
 * payment's lock, so that concurrent uploads cannot exceed it. Throws NOT_FOUND, PAYLOAD_TOO_LARGE, and INVALID_STATE for a dispute that is
 * resolved or has `FILES` of this side already.
 */
export async function attachFile(
  world: { database: Database },
  request: {
    disputeId: string;
    by: Submitter;
    file: ReceivedFile;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<DisputeFile> {
  const { disputeId, by, file } = request;
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const { dispute, appId } = await lockOpenDispute(tx, { disputeId, scope: by.scope });
      const { paymentIntentId } = dispute;
      await requireCapacity(tx, { paymentIntentId, by, sizeBytes: file.sizeBytes });
      const { pieces, ...facts } = file;
      const row = await tx.disputeFile.create({
        data: { id: newId(), paymentIntentId, party: by.party, submittedBy: by.name, ...facts },
      });
      for (const [place, bytes] of pieces.entries()) {
        await tx.disputeFilePiece.create({ data: { fileId: row.id, place, bytes }, select: { place: true } });
      }
      await appendEvents(tx, appId, [evidenceEvent(dispute, row)]);
      return row;
    }),
  );
}

async function requireCapacity(
  tx: DatabaseTransaction,
  { paymentIntentId, by, sizeBytes }: { paymentIntentId: string; by: Submitter; sizeBytes: number },
): Promise<void> {
  const count = await tx.disputeFile.count({ where: { paymentIntentId, party: by.party } });
  if (count >= FILES) throw new GatewayError('INVALID_STATE', `This side has already attached ${FILES} files.`);
  requireSpace(await storedBytes(tx, paymentIntentId), sizeBytes);
}

/** The size of all files of a payment's dispute. */
export async function storedBytes(database: Database | DatabaseTransaction, paymentIntentId: string): Promise<number> {
  const { _sum } = await database.disputeFile.aggregate({ where: { paymentIntentId }, _sum: { sizeBytes: true } });
  return _sum.sizeBytes ?? 0;
}

/** Throws PAYLOAD_TOO_LARGE if `sizeBytes` more would exceed the limit of the dispute. */
export function requireSpace(stored: number, sizeBytes: number): void {
  if (stored + sizeBytes <= DISPUTE_BYTES) return;
  throw new GatewayError(
    'PAYLOAD_TOO_LARGE',
    `The files of a dispute can have at most ${DISPUTE_BYTES} bytes in total: ${stored} are stored, and this file has ${sizeBytes}.`,
  );
}
