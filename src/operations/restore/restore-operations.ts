/** Commands for a database that was restored from a dump. docs/operations/restore.md says when to run which. */
import type { Operation } from '../operations-world.ts';
import { wholeNumber } from '../read-option.ts';
import { beginRestore } from './begin-restore.ts';
import { lostRow } from './lost-payments.ts';
import { recoverPayments } from './recover-payments.ts';
import { reportRestore } from './report-restore.ts';

const SEQUENCE_GAP = '1000000';

export const restoreOperations: Record<string, Operation> = {
  'restore-begin': {
    usage: '[--sequence-gap 1000000]',
    options: ['sequence-gap'],
    async run(world, { values }) {
      const limits = { least: 1, most: 100_000_000 };
      const sequenceGap = wholeNumber(values['sequence-gap'] ?? SEQUENCE_GAP, '--sequence-gap', limits);
      const { dumpAt, ...begun } = await beginRestore(world, { sequenceGap });
      return [{ dumpAt: dumpAt?.toISOString() ?? null, ...begun }];
    },
  },
  'restore-recover': {
    usage: '',
    options: [],
    hint: 'lag',
    async run(world) {
      const recovered = await recoverPayments(world);
      return recovered.map(({ lost, paymentIntentId }) => ({ ...lostRow(world, lost), paymentIntentId }));
    },
  },
  'restore-report': { usage: '', options: [], hint: 'lag', run: reportRestore },
};
