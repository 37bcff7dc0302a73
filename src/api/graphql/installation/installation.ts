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
  description: 'One chain, as far as it is read. Block numbers are integer strings; slots on Solana.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    nodeBlock: t.string({
      nullable: true,
      description: 'The newest that our node knows; null while it does not answer.',
      resolve: ({ node }) => text(node),
    }),
    headBlock: t.string({
      nullable: true,
      description: 'The newest that was seen; null before the first look.',
      resolve: ({ observed }) => text(observed?.head),
    }),
    appliedBlock: t.string({
      nullable: true,
      description: 'The newest whose facts are applied.',
      resolve: ({ observed }) => text(observed?.applied),
    }),
    finalizedBlock: t.string({
      nullable: true,
      description: 'The newest that is final.',
      resolve: ({ observed }) => text(observed?.finalized),
    }),
    lagBlocks: t.string({
      nullable: true,
      description: 'From the applied one to the head.',
      resolve: ({ observed }) => text(observed?.lagBlocks),
    }),
    lagSeconds: t.int({
      nullable: true,
      description: 'The same in seconds of chain time.',
      resolve: ({ observed }) => observed?.lagSeconds ?? null,
    }),
    seenSecondsAgo: t.int({
      nullable: true,
      description: 'Since the indexer looked last.',
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
  description: 'A key that sends, and what it has left for gas.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    address: t.exposeString('sender', { description: 'The key’s address.' }),
    left: t.expose('left', {
      type: 'BaseUnits',
      nullable: true,
      description: "Base units of the chain's coin (wei, lamports); null while the node does not answer.",
    }),
    decimals: t.exposeInt('decimals', { description: 'Of that coin.' }),
    isLow: t.exposeBoolean('isLow', { description: 'Whether it is below the limit that is set.' }),
    daysLeft: t.exposeInt('daysLeft', {
      nullable: true,
      description:
        'Whole days for which it lasts at the rate of its latest 500 transactions of the last week. Null if nothing was spent.',
    }),
  }),
});

const WorkRef = builder.objectRef<WorkLine>('InstallationWork').implement({
  description: 'Open work, counted.',
  fields: (t) => ({
    factsSeen: t.exposeInt('factsSeen', { description: 'Facts of chains that are not deep enough yet.' }),
    factsWaiting: t.exposeInt('factsWaiting', { description: 'Facts to be applied or taken back.' }),
    jobsReady: t.exposeInt('jobsReady', { description: 'Jobs that are due.' }),
    jobsScheduled: t.exposeInt('jobsScheduled', { description: 'Jobs that are scheduled for later.' }),
    jobsRunning: t.exposeInt('jobsRunning', { description: 'Running jobs.' }),
    jobsFailed: t.exposeInt('jobsFailed', { description: 'Jobs whose retries have all failed.' }),
    oldestJobSeconds: t.exposeInt('oldestJobSeconds', { description: 'Age of the oldest due job.' }),
    webhooksDue: t.exposeInt('webhooksDue', { description: 'Deliveries that are due.' }),
    endpointsDisabled: t.exposeInt('endpointsDisabled', {
      description: 'Webhook endpoints that the gateway disabled.',
    }),
    intentsOverdue: t.exposeInt('intentsOverdue', { description: 'Payments that should have moved by themselves.' }),
  }),
});

const BooksStateEnum = builder.enumType('BooksState', {
  description: 'What a comparison of the books with the contract found.',
  values: {
    MATCH: { value: 'MATCH', description: 'They agree.' },
    DRIFT: { value: 'DRIFT', description: 'They do not: payments must be looked at.' },
    UNKNOWN: { value: 'UNKNOWN', description: 'A node did not answer.' },
  } as const,
});

const BooksRef = builder.objectRef<BooksLine>('InstallationBooks').implement({
  description: 'The books of open payments against what the contract says, now.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { nullable: true, description: 'The chain. Null if no node answered.' }),
    state: t.expose('state', { type: BooksStateEnum, description: 'What was found.' }),
    payments: t.exposeInt('payments', { nullable: true, description: 'Open payments that were compared.' }),
    drifting: t.exposeInt('drifting', { nullable: true, description: 'Those that differ.' }),
    uncovered: t.exposeStringList('uncovered', {
      description: 'Tokens of which the contract holds less than the books say.',
    }),
  }),
});

const OutgoingRef = builder.objectRef<OutgoingTransaction>('OutgoingTransaction').implement({
  description: 'A transaction that this installation sends to a chain.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    purpose: t.exposeString('purpose', { description: 'Purpose.' }),
    status: t.exposeString('status', { description: 'QUEUED, SIGNED, SENT, MINED, FINAL, FAILED or CANCELLED.' }),
    nonce: t.string({
      nullable: true,
      description: 'An integer string.',
      resolve: ({ nonce }) => nonce?.toString() ?? null,
    }),
    failures: t.exposeInt('failures', { description: 'Number of failed attempts to send it.' }),
    txHash: t.exposeString('txHash', { nullable: true, description: 'Of its latest form.' }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'The API request it follows from.' }),
    error: t.exposeString('error', { nullable: true, description: 'The latest error.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued.' }),
  }),
});

const StuckRef = builder.objectRef<Stuck>('StuckWork').implement({
  description: 'An object that should have advanced automatically and has not.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'transaction, payment intent, fact or deposit.' }),
    id: t.exposeString('id', {
      description: 'Its id; of a fact the reference or transaction; of a deposit the payment intent.',
    }),
    state: t.exposeString('state', { description: 'Current status.' }),
    what: t.exposeString('what', { description: 'What it is waiting for.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Start of the waiting time.',
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
    at: t.expose('at', { type: 'DateTime', description: 'When it occurred.' }),
    what: t.exposeString('what', { description: 'What occurred, at most 300 characters.' }),
  }),
});

const stuckRules = defineRules({
  schema: z.object({ minutes: z.int().min(0, 'from 0 to 100000').max(100_000, 'from 0 to 100000').nullish() }),
});

const InstallationRef = builder.objectRef<InstallationView>('Installation').implement({
  description: 'The whole installation as its operators see it.',
  fields: (t) => ({
    faults: t.exposeStringList('faults', {
      description: 'What is not as it should be, and what to run; empty when all is well.',
    }),
    chains: t.expose('chains', { type: [ChainLineRef], description: 'Every chain that is indexed.' }),
    work: t.expose('work', { type: WorkRef, description: 'Open work.' }),
    senders: t.expose('senders', { type: [SenderRef], description: 'The keys that send.' }),
    books: t.expose('books', {
      type: [BooksRef],
      description:
        'The books against the contracts, compared at most half a minute ago; empty until the first comparison has ended.',
    }),
    outgoing: t.field({
      type: [OutgoingRef],
      description: `Transactions on their way and given up ones, newest first, at most ${OUTGOING_ROWS}.`,
      resolve: (_view, _args, { world }) => readOutgoing(world),
    }),
    alarms: t.field({
      type: [AlarmRef],
      description: `The latest occurrences of the last 30 days that raise an alarm, newest first, at most ${ALARMS_LIMIT}.`,
      resolve: (_view, _args, { world }) => readAlarms(world.database, world.realClock.now()),
    }),
    stuck: t.field({
      type: [StuckRef],
      description: 'What should have moved by itself, at most 200 of each kind, oldest first.',
      args: { minutes: t.arg.int({ description: `For how long, 0 to 100000; ${STUCK_MINUTES} by default.` }) },
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
