/** The command that moves old events to files and deletes facts that a reorganization removed. */

import { transaction } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { invalid } from '../../errors.ts';
import { archiveEvents } from '../../events/archive/archive-events.ts';
import { purgeOrphans } from '../../facts/store.ts';
import type { Answer, Operation, OperationsWorld } from '../operations-world.ts';
import { needed, startOf } from '../read-option.ts';

/** The youngest events that may be archived. */
const FLOOR_DAYS = 30;
const DAY_MS = 86_400_000;
const FOLDER = 'event-archive';

export const archiveOperations: Record<string, Operation> = {
  archive: {
    usage: `--before <date> [--to ${FOLDER}] [--dry-run]`,
    options: ['before', 'to'],
    flags: ['dry-run'],
    hint: 'status',
    async run(world, { values, flags }) {
      const before = startOf(needed(values, 'before'), '--before');
      const newest = new Date(world.clock.now().getTime() - FLOOR_DAYS * DAY_MS);
      if (before > newest) {
        const message = `must be at least ${FLOOR_DAYS} days ago, at the latest ${newest.toISOString()}`;
        throw invalid([{ param: '--before', message }]);
      }
      return await archive(world, { before, folder: values.to ?? FOLDER, isDryRun: flags.has('dry-run') });
    },
  },
};

async function archive(
  { database }: OperationsWorld,
  request: { before: Date; folder: string; isDryRun: boolean },
): Promise<Answer> {
  const { before, folder, isDryRun } = request;
  const archived = await archiveEvents({ database }, request);
  const orphans = await purgeOrphans(database, { before, isDryRun });
  const events = archived.reduce((sum, app) => sum + app.events, 0);
  if (!isDryRun) {
    await transaction(database, (tx) =>
      recordAction(tx, {
        action: 'database.archived',
        owner: 'INSTALLATION',
        target: { type: 'Database', id: null },
        after: { before, folder, events, orphans },
      }),
    );
  }
  return {
    sections: {
      events: archived.map(({ archivedThrough, hold, ...app }) => ({
        ...app,
        archivedThrough: String(archivedThrough),
        heldBy: hold,
      })),
      'orphaned facts': [{ deleted: orphans }],
    },
  };
}
