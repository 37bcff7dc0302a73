/** Commands for a database that was restored from a dump. docs/operations/restore.md describes when to run each command. */
import { invalid } from '../../errors.ts';
import { type PaymentTerms, termsSchema } from '../../escrow/terms.ts';
import { recoverDeposit } from '../../payments/deposits/recover-deposit.ts';
import { printUnits } from '../../prices/quote.ts';
import type { Operation } from '../operations-world.ts';
import { chainIdOf, needed, wholeNumber } from '../read-option.ts';
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
  'recover-deposit': {
    usage: '--chain <id> --terms <json>',
    options: ['chain', 'terms'],
    hint: 'lag',
    async run(world, { values }) {
      const chainId = chainIdOf(needed(values, 'chain'));
      const recovered = await recoverDeposit(world, { chainId, terms: termsOf(needed(values, 'terms')) });
      return recovered.map(({ tokenKey, amount, ...row }) => ({
        ...row,
        amount: printUnits(amount, world.registry.token(tokenKey)?.decimals ?? 0),
        tokenKey,
      }));
    },
  },
  'restore-report': { usage: '', options: [], hint: 'lag', run: reportRestore },
};

/** Reads the terms as `prepareCheckout` answers them and as the log of the API has them. */
function termsOf(text: string): PaymentTerms {
  const terms = termsSchema.safeParse(parsed(text));
  if (terms.success) return terms.data;
  throw invalid(
    terms.error.issues.map(({ path, message }) => ({ param: ['--terms', ...path.map(String)].join('.'), message })),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([{ param: '--terms', message: 'must be JSON' }]);
  }
}
