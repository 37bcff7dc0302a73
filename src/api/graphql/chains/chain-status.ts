/** The progress of each chain: the query and the live field chainStatus. */
import type { ChainCursor, Database } from '../../../../prisma/client.ts';
import { unguarded } from '../../../../prisma/guarded-database.ts';
import type { Chain } from '../../../chains/registry.ts';
import { readChainCursors } from '../../../facts/read-chain-cursors.ts';
import { builder } from '../server/builder.ts';
import { sharedPoll } from '../server/live.ts';
import type { World } from '../server/world.ts';
import { ChainRef } from './chain.ts';

const POLL_MS = 1000;

type Status = { chain: Chain; cursor: ChainCursor | null; now: Date };

const ChainStatusRef = builder.objectRef<Status>('ChainStatus').implement({
  description: 'How far the gateway has read a chain.',
  fields: (t) => ({
    chainId: t.int({ description: 'Numeric chain ID.', resolve: ({ chain }) => chain.chainId }),
    chain: t.field({ type: ChainRef, description: 'The chain.', resolve: ({ chain }) => chain }),
    headBlock: t.string({
      nullable: true,
      description: 'Number of the newest block that was seen, as an integer string.',
      resolve: ({ cursor }) => cursor?.headNumber.toString() ?? null,
    }),
    finalizedBlock: t.string({
      nullable: true,
      description: "Number of the newest block that is final by the chain's own rules, as an integer string.",
      resolve: ({ cursor }) => cursor?.finalizedNumber.toString() ?? null,
    }),
    appliedBlock: t.string({
      nullable: true,
      description: 'Number of the newest block whose events have been applied, as an integer string.',
      resolve: ({ cursor }) => cursor?.appliedNumber.toString() ?? null,
    }),
    headAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Timestamp of the newest block.',
      resolve: ({ cursor }) => (cursor ? new Date(Number(cursor.headTimestamp) * 1000) : null),
    }),
    secondsSinceUpdate: t.int({
      nullable: true,
      description: 'Seconds since the gateway last read the chain.',
      resolve: ({ cursor, now }) =>
        cursor
          ? Math.max(0, Math.round((now.getTime() - (cursor.observedAt ?? cursor.updatedAt).getTime()) / 1000))
          : null,
    }),
    paused: t.boolean({
      description: 'Whether an operator has paused new payments on the chain.',
      resolve: ({ cursor }) => cursor?.pausedAt != null,
    }),
    halted: t.boolean({
      description:
        'Whether the chain is halted because a final event was reverted. While it is halted, its state is not reported.',
      resolve: ({ cursor }) => cursor?.haltedAt != null,
    }),
  }),
});

builder.queryField('chainStatus', (t) =>
  t.field({
    type: [ChainStatusRef],
    description: 'How far the gateway has read each chain that has a node.',
    authScopes: { credential: true, operator: true },
    resolve: (_root, _args, { world }) => readStatus(world),
  }),
);

builder.subscriptionField('chainStatus', (t) =>
  t.field({
    type: [ChainStatusRef],
    description:
      'How far the gateway has read each chain: the current state, and then an update whenever a block is seen, applied or finalized, at most once a second.',
    authScopes: { credential: true, operator: true },
    subscribe: (_root, _args, { world }) => followStatus(world),
    resolve: (status) => status,
  }),
);

const followed = new WeakMap<Database, () => AsyncIterableIterator<Status[], void, void>>();

/** All followers of a process share one poll. */
function followStatus(world: World): AsyncIterableIterator<Status[], void, void> {
  const database = unguarded(world.database);
  const read = () => readStatus({ ...world, database });
  const poll = followed.get(database) ?? sharedPoll({ everyMs: POLL_MS, read, fingerprint: printStatus });
  followed.set(database, poll);
  return poll();
}

async function readStatus(world: World): Promise<Status[]> {
  const cursors = await readChainCursors(world.database);
  const now = world.realClock.now();
  return world.registry.enabled().map((chain) => ({ chain, cursor: cursors.get(chain.chainId) ?? null, now }));
}

function printStatus(statuses: Status[]): string {
  return statuses
    .map(({ chain, cursor }) =>
      [
        chain.chainId,
        cursor?.headNumber,
        cursor?.finalizedNumber,
        cursor?.appliedNumber,
        cursor?.pausedAt?.getTime(),
        cursor?.haltedAt?.getTime(),
      ].join(),
    )
    .join(';');
}
