/** The mutation recordUsage. */
import { recordUsage } from '../../../subscriptions/usage/record-usage.ts';
import {
  type RecordedUsage,
  recordUsageSchema,
  type UsageError,
  type UsageFault,
  type UsageOutcome,
  type UsageResult,
} from '../../../subscriptions/usage/usage-event.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';

const UsageOutcomeEnum = builder.enumType('UsageOutcome', {
  description: 'What became of a usage event.',
  values: {
    ACCEPTED: { value: 'ACCEPTED', description: 'Recorded.' },
    DUPLICATE: { value: 'DUPLICATE', description: 'Recorded before with the same content; it counts once.' },
    REJECTED: { value: 'REJECTED', description: 'Not recorded; `error` says why.' },
  } as const satisfies { [Outcome in UsageOutcome]: { value: Outcome; description: string } },
});

const UsageFaultEnum = builder.enumType('UsageFault', {
  description: 'Why a usage event is not recorded.',
  values: {
    NOT_FOUND: { value: 'NOT_FOUND', description: 'The caller has no such subscription.' },
    CONFLICT: { value: 'CONFLICT', description: 'The id was used for an event with other content.' },
    NOT_METERED: { value: 'NOT_METERED', description: "The subscription's price is not metered." },
    NOT_STARTED: { value: 'NOT_STARTED', description: 'The subscription had not started, or was not metered yet.' },
    PERIOD_CLOSED: { value: 'PERIOD_CLOSED', description: 'The usage of the period is billed already.' },
    SUBSCRIPTION_ENDED: { value: 'SUBSCRIPTION_ENDED', description: 'The subscription had ended.' },
  } as const satisfies { [Fault in UsageFault]: { value: Fault; description: string } },
});

const UsageErrorRef = builder.objectRef<UsageError>('UsageError').implement({
  description: 'Why a usage event is not recorded.',
  fields: (t) => ({
    code: t.expose('code', { type: UsageFaultEnum, description: 'A code for programs.' }),
    param: t.exposeString('param', { description: 'The field, such as events[3].timestamp.' }),
    message: t.exposeString('message', { description: 'A sentence for people.' }),
  }),
});

const UsageResultRef = builder.objectRef<UsageResult>('UsageResult').implement({
  description: 'What became of one usage event.',
  fields: (t) => ({
    eventId: t.exposeString('eventId', { description: 'The id of the event, as sent.' }),
    status: t.expose('status', { type: UsageOutcomeEnum, description: 'The outcome.' }),
    error: t.expose('error', {
      type: UsageErrorRef,
      nullable: true,
      description: 'Why it was not recorded. Null unless it was rejected.',
    }),
  }),
});

const RecordedUsageRef = builder.objectRef<RecordedUsage>('RecordedUsage').implement({
  description: 'What became of a batch of usage events.',
  fields: (t) => ({
    accepted: t.exposeInt('accepted', { description: 'Events that were recorded.' }),
    duplicates: t.exposeInt('duplicates', { description: 'Events that were recorded before.' }),
    rejected: t.exposeInt('rejected', { description: 'Events that were not recorded.' }),
    results: t.expose('results', { type: [UsageResultRef], description: 'One for each event, in their order.' }),
  }),
});

const UsageEventInput = builder.inputType('UsageEventInput', {
  description: 'Usage of a subscription at one instant.',
  fields: (t) => ({
    eventId: t.string({
      required: true,
      description: 'An id of your own, 1 to 255 characters. It is recorded once per app for ever.',
    }),
    subscriptionId: t.field({ type: 'UUID', required: true, description: 'The subscription.' }),
    quantity: t.field({
      type: 'Decimal',
      required: true,
      description: 'Units used: more than zero, at most 12 integer digits and 12 decimals.',
    }),
    timestamp: t.field({
      type: 'DateTime',
      description: 'When they were used; now by default, and at most 5 minutes in the future.',
    }),
  }),
});

const rules = defineRules({ schema: recordUsageSchema.extend(appIdShape) });
const RecordUsageInput = builder.inputType('RecordUsageInput', {
  description: 'A batch of usage events.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    events: t.field({ type: [UsageEventInput], required: true, description: '1 to 1000.' }),
  }),
});

builder.mutationField('recordUsage', (t) =>
  t.field({
    type: RecordedUsageRef,
    description:
      'Records the usage of metered subscriptions. Each event stands alone: a rejected one does not hold up the others. A repeated batch counts once.',
    authScopes: { write: true },
    args: { input: t.arg({ type: RecordUsageInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, events } = checked(context, rules, args.input);
      const scope = await scopeOf(context, { appId });
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'recordUsage', parameters: { events } };
      return recordUsage(context.world, { scope, events, idempotency: idempotencyOf(context, call) });
    },
  }),
);
