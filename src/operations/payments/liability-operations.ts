/** Commands about the published liabilities: taking a snapshot now, and listing those that are kept. */
import { formatUnits } from 'viem';
import { invalid } from '../../errors.ts';
import { publishLiabilities } from '../../payments/reports/liabilities/publish-liabilities.ts';
import { readSnapshots } from '../../payments/reports/liabilities/read-snapshots.ts';
import type { PublishedSnapshot } from '../../payments/reports/liabilities/snapshot.ts';
import type { Answer, Operation, Row } from '../operations-world.ts';
import { chainIdOf, wholeNumber } from '../read-option.ts';

const ROWS = '20';
const MOST_ROWS = 1_000;

export const liabilityOperations: Record<string, Operation> = {
  'liabilities publish': {
    usage: '[--chain <id>]',
    options: ['chain'],
    hint: 'lag',
    async run(world, { values, words }) {
      requireNoWords(words);
      const wanted = values.chain === undefined ? undefined : chainIdOf(values.chain);
      const chains = world.registry.enabled().filter(({ family, escrow }) => family === 'EVM' && escrow !== undefined);
      const ids = wanted === undefined ? chains.map(({ chainId }) => chainId) : [wanted];
      const snapshots: PublishedSnapshot[] = [];
      for (const chainId of ids) snapshots.push(await publishLiabilities(world, { chainId }));
      return answerOf(snapshots);
    },
  },
  'liabilities list': {
    usage: `[--chain <id>] [--limit ${ROWS}]`,
    options: ['chain', 'limit'],
    hint: 'liabilities publish',
    async run(world, { values, words }) {
      requireNoWords(words);
      const chainId = values.chain === undefined ? undefined : chainIdOf(values.chain);
      const limit = wholeNumber(values.limit ?? ROWS, '--limit', { least: 1, most: MOST_ROWS });
      return (await readSnapshots(world.database, { chainId, limit })).flatMap(rowsOf);
    },
  },
};

function requireNoWords([unknown]: string[]): void {
  if (unknown !== undefined) throw invalid([{ param: unknown, message: 'is not an option of this command' }]);
}

function answerOf(snapshots: readonly PublishedSnapshot[]): Answer {
  const rows = snapshots.flatMap(rowsOf);
  const short = rows.filter(({ surplus }) => String(surplus).startsWith('-'));
  const keys = short.map(({ tokenKey }) => tokenKey).join(', ');
  return {
    sections: { liabilities: rows },
    ...(short.length === 0
      ? {}
      : { fault: `The escrow holds less than is owed in ${keys}. Run: npm run ops -- check-books` }),
  };
}

/** Amounts in whole tokens, or in base units if the token is no longer registered. */
function rowsOf({ id, chainId, blockNumber, createdAt, tokens }: PublishedSnapshot): Row[] {
  return tokens.map(({ tokenKey, decimals, total, escrowBalance }) => ({
    chainId,
    block: String(blockNumber),
    takenAt: createdAt.toISOString(),
    tokenKey,
    liabilities: formatUnits(total, decimals ?? 0),
    escrow: formatUnits(escrowBalance, decimals ?? 0),
    surplus: formatUnits(escrowBalance - total, decimals ?? 0),
    snapshot: id,
  }));
}
