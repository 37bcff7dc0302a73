/** The TestClock type, its query and its mutation. */
import { advanceTestClock } from '../../../test-clock/advance-test-clock.ts';
import { readTestClock } from '../../../test-clock/read-test-clock.ts';
import { advanceTestClockSchema, type TestClockState } from '../../../test-clock/test-clock.ts';
import { mayAsk } from '../server/access/access.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';

/** The response waits this long for the clock to arrive, because callers would otherwise poll. */
const WAIT_SECONDS = 20;

const TestClockRef = builder.objectRef<TestClockState>('TestClock').implement({
  description: "The installation's time, which can be advanced if all of its chains are local.",
  fields: (t) => ({
    now: t.expose('now', { type: 'DateTime', description: 'Current time of the installation.' }),
    offsetSeconds: t.exposeInt('offsetSeconds', {
      description: 'Number of whole seconds by which the clock is ahead of the real time, at least 0.',
    }),
    isMovable: t.exposeBoolean('isMovable', {
      description: 'Whether the clock can be advanced, which requires that all chains are local.',
    }),
    mayAdvance: t.boolean({
      description: 'Whether the caller may advance the clock. The setting TEST_CLOCK determines this.',
      resolve: (_state, _args, { principal, world }) => mayAsk(principal, ['clock'], world.config),
    }),
    isAdvancing: t.exposeBoolean('isAdvancing', { description: 'Whether an advance is in progress.' }),
    targetAt: t.expose('targetAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time that the clock is advancing to. Null if it is not advancing.',
    }),
    stops: t.exposeInt('stops', {
      description: 'Times at which the latest advance has stopped because something was due.',
    }),
    fault: t.exposeString('fault', {
      nullable: true,
      description: 'Why the latest advance ended before its target. Null if it did not.',
    }),
  }),
});

const rules = defineRules({ schema: advanceTestClockSchema });
const AdvanceTestClockInput = builder.inputType('AdvanceTestClockInput', {
  description: 'How far the test clock advances. Exactly one of `seconds` and `to` is required.',
  extensions: carryRules(rules),
  fields: (t) => ({
    seconds: t.int({
      description:
        'Number of seconds to advance, 1 to 34560000 (400 days), counted from now or from the end of an advance in progress.',
    }),
    to: t.field({ type: 'DateTime', description: 'Time to advance to: in the future, and at most 400 days ahead.' }),
    waitSeconds: t.int({
      description: `Real seconds that the request waits for the clock to arrive: 0 to 50. Defaults to ${WAIT_SECONDS}.`,
    }),
  }),
});

builder.queryField('testClock', (t) =>
  t.field({
    type: TestClockRef,
    description: "The installation's time. It is the real time unless all chains are local.",
    authScopes: { read: true, operator: true },
    resolve: (_root, _args, { world }) => readTestClock(world, { waitSeconds: 0 }),
  }),
);

builder.mutationField('advanceTestClock', (t) =>
  t.field({
    type: TestClockRef,
    description:
      'Advances the time of the whole installation and of its chains. The clock stops at each time at which something is due, so that everything happens in order. Returns when the clock has arrived, or after `waitSeconds` while the advance continues. INVALID_STATE unless all chains are local. AUTHORIZATION_ERROR for keys and members of merchants if the setting TEST_CLOCK is `operator`.',
    authScopes: { clock: true },
    args: { input: t.arg({ type: AdvanceTestClockInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { waitSeconds, ...input } = checked(context, rules, args.input);
      const call = { scopeId: await idempotencyScopeOf(context), operation: 'advanceTestClock', parameters: input };
      await advanceTestClock(context.world, { input, idempotency: idempotencyOf(context, call) });
      return readTestClock(context.world, { waitSeconds: waitSeconds ?? WAIT_SECONDS });
    },
  }),
);

/** An operator belongs to no merchant, so the scope of its idempotency keys is its credential. */
async function idempotencyScopeOf(context: GraphqlContext): Promise<string> {
  if (context.principal.kind === 'platform') return context.principal.credentialId;
  const scope = await scopeOf(context);
  return scope.appId ?? scope.merchantId;
}
