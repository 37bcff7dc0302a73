/** The mutations of operators on the installation: pauseChain, resumeChain and drainInstallation. */
import { z } from 'zod';
import { drainChains, type Rest } from '../../../operations/drain.ts';
import { pauseChain } from '../../../operations/pause-chain.ts';
import { builder } from '../server/builder.ts';
import { checked, defineRules } from '../server/input.ts';
import { operationsWorld } from './installation.ts';

/** Seconds, shorter than the time limit of a request. */
const LONGEST_WAIT = 20;

const ChainPauseRef = builder.objectRef<{ chainId: number; paused: boolean }>('ChainPause').implement({
  description: 'Whether a chain accepts new payments.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    paused: t.exposeBoolean('paused', { description: 'Whether new payments are paused.' }),
  }),
});

builder.mutationField('pauseChain', (t) =>
  t.field({
    type: ChainPauseRef,
    description: 'Pauses new payments on a chain. Payments in progress continue. Has no effect if the chain is paused.',
    authScopes: { operator: true },
    args: { chainId: t.arg.int({ required: true, description: 'Numeric chain ID.' }) },
    resolve: async (_root, { chainId }, { world }) => {
      await pauseChain(world, { chainId, pausedAt: world.realClock.now() });
      return { chainId, paused: true };
    },
  }),
);

builder.mutationField('resumeChain', (t) =>
  t.field({
    type: ChainPauseRef,
    description: 'Resumes new payments on a chain. Has no effect if the chain is not paused.',
    authScopes: { operator: true },
    args: { chainId: t.arg.int({ required: true, description: 'Numeric chain ID.' }) },
    resolve: async (_root, { chainId }, { world }) => {
      await pauseChain(world, { chainId, pausedAt: null });
      return { chainId, paused: false };
    },
  }),
);

const DrainRef = builder.objectRef<{ chains: number[]; isDrained: boolean; rest: Rest }>('Drain').implement({
  description: 'What is still in progress after new payments were paused on every chain.',
  fields: (t) => ({
    chains: t.exposeIntList('chains', {
      description: 'The paused chains. Resume each one to accept new payments again.',
    }),
    isDrained: t.exposeBoolean('isDrained', { description: 'Whether nothing is in progress.' }),
    openQuotes: t.int({
      description: 'Number of quotes that a payer can still pay.',
      resolve: ({ rest }) => rest.openQuotes,
    }),
    quotesUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Expiration time of the last of these quotes. Null if there is none.',
      resolve: ({ rest }) => rest.quotesUntil,
    }),
    transactions: t.int({ description: 'Number of pending transactions.', resolve: ({ rest }) => rest.transactions }),
    jobs: t.int({ description: 'Number of jobs that are due or running.', resolve: ({ rest }) => rest.jobs }),
    facts: t.int({ description: 'On-chain events that wait to be applied.', resolve: ({ rest }) => rest.facts }),
  }),
});

const drainRules = defineRules({
  schema: z.object({
    waitSeconds: z.int().min(0, `from 0 to ${LONGEST_WAIT}`).max(LONGEST_WAIT, `from 0 to ${LONGEST_WAIT}`).nullish(),
  }),
});

builder.mutationField('drainInstallation', (t) =>
  t.field({
    type: DrainRef,
    description:
      'Pauses new payments on every chain and returns what is still in progress. Call it again until nothing is in progress. The chains stay paused until each is resumed.',
    authScopes: { operator: true },
    args: {
      waitSeconds: t.arg.int({
        description: `Seconds that the request waits until nothing is in progress, 0 to ${LONGEST_WAIT}. Defaults to 0.`,
      }),
    },
    resolve: (_root, args, context) => {
      const { waitSeconds } = checked(context, drainRules, args);
      return drainChains(operationsWorld(context.world), { waitSeconds: waitSeconds ?? 0 });
    },
  }),
);
