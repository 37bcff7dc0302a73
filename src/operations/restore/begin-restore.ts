import { transaction } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { OperationsWorld } from '../operations-world.ts';

export type BegunRestore = { dumpAt: Date | null; apps: number; sequenceGap: number; sessions: number };

/**
 * Prepares a database that was restored from a dump, before any part of it runs:
 *
 * - Every app's event sequence advances by `sequenceGap`, so that no number is assigned twice: receivers may already have seen other
 *   events under the numbers that followed the dump.
 * - Every session of members and wallet users ends, and every one-time password is invalidated, because some may have been revoked or
 *   used after the dump.
 * - The time of the dump is recorded in the audit log, for the report.
 *
 * Each further call advances the sequences again.
 */
export async function beginRestore(
  { database, clock }: Pick<OperationsWorld, 'database' | 'clock'>,
  { sequenceGap }: { sequenceGap: number },
): Promise<BegunRestore> {
  return await transaction(database, async (tx) => {
    const now = clock.now();
    const [dump] = await tx.$queryRaw<{ at: Date | null }[]>`
      SELECT greatest(
        (SELECT max(updated_at) FROM chain_cursor), (SELECT max(beat_at) FROM queue_worker),
        (SELECT max(created_at) FROM event), (SELECT max(created_at) FROM audit_entry),
        (SELECT max(created_at) FROM payment_intent)) AS at`;
    const apps = await tx.$executeRaw`
      INSERT INTO event_cursor (app_id, last_sequence) SELECT id, ${sequenceGap}::bigint FROM app
      ON CONFLICT (app_id) DO UPDATE SET last_sequence = event_cursor.last_sequence + ${sequenceGap}::bigint`;
    const ended = { where: { revokedAt: null }, data: { revokedAt: now } };
    const members = await tx.memberSession.updateMany(ended);
    const cards = await tx.cardSession.updateMany(ended);
    await tx.oneTimePassword.updateMany({ where: { spentAt: null }, data: { spentAt: now } });
    const begun = { dumpAt: dump?.at ?? null, apps, sequenceGap, sessions: members.count + cards.count };
    await recordAction(tx, {
      action: 'database.restored',
      owner: 'INSTALLATION',
      target: { type: 'Database', id: null },
      after: begun,
    });
    return begun;
  });
}
