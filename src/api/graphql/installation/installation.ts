/** The query `installation` for the operators of the installation. */

import { z } from 'zod';
import type { OutgoingTransaction } from '../../../../prisma/client.ts';
import { ALARMS_LIMIT, type Alarm, readAlarms } from '../../../operations/health/read-alarms.ts';
import type { OperationsWorld } from '../../../operations/operations-world.ts';
import {
  type BooksLine,
  type ChainLine,
  type InstallationView,
  readInstallation,
  type SenderLine,
  type WorkLine,
} from '../../../operations/read-installation.ts';
import { OUTGOING_ROWS, readOutgoing } from '../../../operations/read-outgoing.ts';
import { readStuck, type Stuck } from '../../../operations/read-stuck.ts';
import { recentBooks } from '../../../operations/recent-books.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { checked, defineRules } from '../server/input.ts';
import type { World } from '../server/world.ts';

const STUCK_MINUTES = 10;

/** Returns what operators' commands need, from the world of the API. */
export function operationsWorld(world: World): OperationsWorld {
  const { database, registry, nodes, solanaNodes, config, operator, senderAddresses, realClock } = world;
  const keys = [operator.address, ...senderAddresses];
  return { database, registry, nodes, solanaNodes, config, clock: realClock, keys };
}

const text = (value: bigint | undefined | null) => value?.toString() ?? null;

const ChainLineRef = builder.objectRef<ChainLine>('InstallationChain').implement({
  description: 'How far the gateway has read a chain. Block numbers are integer strings; on Solana, they are slots.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    name: t.exposeString('name', { description: 'Name of the chain.' }),
    nodeBlock: t.string({
      nullable: true,
      description: "Newest block of the installation's node. Null while the node does not respond.",
      resolve: ({ node }) => text(node),
    }),
    headBlock: t.string({
      nullable: true,
      description: 'Newest block that was seen. Null before the chain is first read.',
      resolve: ({ observed }) => text(observed?.head),
    }),
    appliedBlock: t.string({
      nullable: true,
      description: 'Newest block whose events have been applied.',
      resolve: ({ observed }) => text(observed?.applied),
    }),
    finalizedBlock: t.string({
      nullable: true,
      description: 'Newest final block.',
      resolve: ({ observed }) => text(observed?.finalized),
    }),
    lagBlocks: t.string({
      nullable: true,
      description: 'Number of blocks from the applied block to the newest one.',
      resolve: ({ observed }) => text(observed?.lagBlocks),
    }),
    lagSeconds: t.int({
      nullable: true,
      description: 'Difference of their timestamps, in seconds.',
      resolve: ({ observed }) => observed?.lagSeconds ?? null,
    }),
    seenSecondsAgo: t.int({
      nullable: true,
      description: 'Seconds since the indexer last read the chain.',
      resolve: ({ observed }) => (observed ? Math.round(observed.observedAgeSeconds) : null),
    }),
    paused: t.boolean({
      description: 'Whether new payments are paused.',
      resolve: ({ observed }) => observed?.paused ?? false,
    }),
    haltReason: t.string({
      nullable: true,
      description: 'Why the state of the chain is no longer reported. Null while it is reported.',
      resolve: ({ observed }) => observed?.haltReason ?? null,
    }),
  }),
});

const SenderRef = builder.objectRef<SenderLine>('InstallationSender').implement({
  description: 'A key that sends transactions, and its balance for gas.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    address: t.exposeString('sender', { description: 'Address of the key.' }),
    left: t.expose('left', {
      type: 'BaseUnits',
      nullable: true,
      description:
        "Balance in base units of the chain's coin, such as wei or lamports. Null while the node does not respond.",
    }),
    decimals: t.exposeInt('decimals', { description: 'Number of decimal places of the coin.' }),
    isLow: t.exposeBoolean('isLow', { description: 'Whether the balance is below the configured limit.' }),
    daysLeft: t.exposeInt('daysLeft', {
      nullable: true,
      description:
        'Whole days for which the balance lasts, estimated from its latest 500 transactions in the last week. Null if nothing was spent.',
    }),
  }),
});

const WorkRef = builder.objectRef<WorkLine>('InstallationWork').implement({
  description: 'Counts of open work.',
  fields: (t) => ({
    factsSeen: t.exposeInt('factsSeen', {
      description: 'Number of on-chain events that do not have the required confirmations yet.',
    }),
    factsWaiting: t.exposeInt('factsWaiting', { description: 'Number of on-chain events to be applied or reverted.' }),
    jobsReady: t.exposeInt('jobsReady', { description: 'Number of jobs that are due.' }),
    jobsScheduled: t.exposeInt('jobsScheduled', { description: 'Number of jobs that are scheduled for later.' }),
    jobsRunning: t.exposeInt('jobsRunning', { description: 'Number of running jobs.' }),
    jobsFailed: t.exposeInt('jobsFailed', { description: 'Number of jobs whose retries have all failed.' }),
    oldestJobSeconds: t.exposeInt('oldestJobSeconds', { description: 'Age of the oldest due job, in seconds.' }),
    webhooksDue: t.exposeInt('webhooksDue', { description: 'Number of webhook deliveries that are due.' }),
    endpointsDisabled: t.exposeInt('endpointsDisabled', {
      description: 'Number of webhook endpoints that the gateway disabled.',
    }),
    intentsOverdue: t.exposeInt('intentsOverdue', {
      description: 'Number of payments that should have advanced automatically.',
    }),
  }),
});

const BooksStateEnum = builder.enumType('BooksState', {
  description: 'Result of comparing the ledger with the escrow contract.',
  values: {
    MATCH: { value: 'MATCH', description: 'The ledger and the contract agree.' },
    DRIFT: { value: 'DRIFT', description: 'They disagree, and the differing payments need attention.' },
    UNKNOWN: { value: 'UNKNOWN', description: 'The comparison failed, because a node did not respond.' },
  } as const,
});

const BooksRef = builder.objectRef<BooksLine>('InstallationBooks').implement({
  description: 'Comparison of the ledger of open payments with the escrow contract.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { nullable: true, description: 'The chain. Null if no node responded.' }),
    state: t.expose('state', { type: BooksStateEnum, description: 'Result of the comparison.' }),
    payments: t.exposeInt('payments', { nullable: true, description: 'Number of open payments that were compared.' }),
    drifting: t.exposeInt('drifting', { nullable: true, description: 'Number of payments that differ.' }),
    uncovered: t.exposeStringList('uncovered', {
      description: 'Number of tokens of which the contract holds less than the ledger.',
    }),
  }),
});

const OutgoingRef = builder.objectRef<OutgoingTransaction>('OutgoingTransaction').implement({
  description: 'A transaction that this installation sends to a chain.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    purpose: t.exposeString('purpose', { description: 'Purpose of the transaction.' }),
    status: t.exposeString('status', { description: 'QUEUED, SIGNED, SENT, MINED, FINAL, FAILED or CANCELLED.' }),
    nonce: t.string({
      nullable: true,
      description: 'Nonce of the transaction, as an integer string.',
      resolve: ({ nonce }) => nonce?.toString() ?? null,
    }),
    failures: t.exposeInt('failures', { description: 'Number of failed attempts to send it.' }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'Hash of the transaction as it was last signed. Null before it is signed.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The API request that caused the transaction. Null if it is unknown.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'The latest error.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued.' }),
  }),
});

const StuckRef = builder.objectRef<Stuck>('StuckWork').implement({
  description: 'An object that should have advanced automatically and has not.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'transaction, payment intent, fact or deposit.' }),
    id: t.exposeString('id', {
      description:
        'ID of the object. For a fact, it is the reference or the transaction; for a deposit, the payment intent.',
    }),
    state: t.exposeString('state', { description: 'Current status.' }),
    what: t.exposeString('what', { description: 'What it is waiting for.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Time since which it has been waiting.',
      resolve: ({ since }) => new Date(since),
    }),
    error: t.exposeString('error', { nullable: true, description: 'The latest error.' }),
    action: t.exposeString('do', { description: 'What to do, in one sentence.' }),
  }),
});

const AlarmRef = builder.objectRef<Alarm>('InstallationAlarm').implement({
  description: 'An occurrence that raises an alarm.',
  fields: (t) => ({
    alarm: t.exposeString('alarm', { description: 'Name of the alert rule.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which it occurred.' }),
    what: t.exposeString('what', { description: 'What occurred, at most 300 characters.' }),
  }),
});

const stuckRules = defineRules({
  schema: z.object({ minutes: z.int().min(0, 'from 0 to 100000').max(100_000, 'from 0 to 100000').nullish() }),
});

const InstallationRef = builder.objectRef<InstallationView>('Installation').implement({
  description: 'The state of the whole installation, for its operators.',
  fields: (t) => ({
    faults: t.exposeStringList('faults', {
      description: 'Faults of the installation, each with the command that helps. Empty if there are none.',
    }),
    chains: t.expose('chains', { type: [ChainLineRef], description: 'Every chain that is indexed.' }),
    work: t.expose('work', { type: WorkRef, description: 'Counts of open work.' }),
    senders: t.expose('senders', { type: [SenderRef], description: 'The keys that send transactions.' }),
    books: t.expose('books', {
      type: [BooksRef],
      description:
        'Comparison of the ledger with the escrow contracts, at most half a minute old. Empty until the first comparison is complete.',
    }),
    outgoing: t.field({
      type: [OutgoingRef],
      description: `Pending and failed transactions, newest first, at most ${OUTGOING_ROWS}.`,
      resolve: (_view, _args, { world }) => readOutgoing(world),
    }),
    alarms: t.field({
      type: [AlarmRef],
      description: `The latest occurrences of the last 30 days that raise an alarm, newest first, at most ${ALARMS_LIMIT}.`,
      resolve: (_view, _args, { world }) => readAlarms(world.database, world.realClock.now()),
    }),
    stuck: t.field({
      type: [StuckRef],
      description:
        'Objects that should have advanced automatically and have not, oldest first; at most 200 of each kind.',
      args: {
        minutes: t.arg.int({
          description: `Minimum waiting time in minutes, 0 to 100000. Defaults to ${STUCK_MINUTES}.`,
        }),
      },
      resolve: (_view, args, context) => {
        const { minutes } = checked(context, stuckRules, args);
        return readStuck(operationsWorld(context.world), minutes ?? STUCK_MINUTES);
      },
    }),
  }),
});

builder.queryField('installation', (t) =>
  t.field({
    type: InstallationRef,
    description:
      "The installation's chains, senders, work and books, read at the time of the request. Requires a credential of an operator, or a member with access to operations.",
    authScopes: { operator: true },
    complexity: { field: 200, multiplier: 1 },
    resolve: (_root, _args, { world }) => readInstallation(operationsWorld(world), recentBooks),
  }),
);
