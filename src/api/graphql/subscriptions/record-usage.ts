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
  description: 'The outcome of a usage event.',
  values: {
    ACCEPTED: { value: 'ACCEPTED', description: 'Recorded.' },
    DUPLICATE: { value: 'DUPLICATE', description: 'Already recorded with the same content. It counts once.' },
    REJECTED: { value: 'REJECTED', description: 'Not recorded. `error` contains the reason.' },
  } as const satisfies { [Outcome in UsageOutcome]: { value: Outcome; description: string } },
});

const UsageFaultEnum = builder.enumType('UsageFault', {
  description: 'Why a usage event was rejected.',
  values: {
    NOT_FOUND: { value: 'NOT_FOUND', description: 'The caller has no such subscription.' },
    CONFLICT: { value: 'CONFLICT', description: 'The ID was used for an event with different content.' },
    NOT_METERED: { value: 'NOT_METERED', description: "The subscription's price is not metered." },
    NOT_STARTED: { value: 'NOT_STARTED', description: 'The subscription had not started, or was not metered yet.' },
    PERIOD_CLOSED: { value: 'PERIOD_CLOSED', description: 'The usage of the period has already been billed.' },
    SUBSCRIPTION_ENDED: { value: 'SUBSCRIPTION_ENDED', description: 'The subscription had ended.' },
  } as const satisfies { [Fault in UsageFault]: { value: Fault; description: string } },
});

const UsageErrorRef = builder.objectRef<UsageError>('UsageError').implement({
  description: 'Why a usage event is not recorded.',
  fields: (t) => ({
    code: t.expose('code', { type: UsageFaultEnum, description: 'Machine-readable code.' }),
    param: t.exposeString('param', { description: 'The field, such as events[3].timestamp.' }),
    message: t.exposeString('message', { description: 'Human-readable message.' }),
  }),
});

const UsageResultRef = builder.objectRef<UsageResult>('UsageResult').implement({
  description: 'The outcome of one usage event.',
  fields: (t) => ({
    eventId: t.exposeString('eventId', { description: 'The ID of the event, as sent.' }),
    status: t.expose('status', { type: UsageOutcomeEnum, description: 'The outcome.' }),
    error: t.expose('error', {
      type: UsageErrorRef,
      nullable: true,
      description: 'Why it was not recorded. Null unless it was rejected.',
    }),
  }),
});

const RecordedUsageRef = builder.objectRef<RecordedUsage>('RecordedUsage').implement({
  description: 'The outcome of a batch of usage events.',
  fields: (t) => ({
    accepted: t.exposeInt('accepted', { description: 'Number of events that were recorded.' }),
    duplicates: t.exposeInt('duplicates', { description: 'Number of events that had already been recorded.' }),
    rejected: t.exposeInt('rejected', { description: 'Number of events that were rejected.' }),
    results: t.expose('results', {
      type: [UsageResultRef],
      description: 'One result per event, in the order of the request.',
    }),
  }),
});

const UsageEventInput = builder.inputType('UsageEventInput', {
  description: 'Usage of a subscription at one instant.',
  fields: (t) => ({
    eventId: t.string({
      required: true,
      description: 'Your own ID for the event, 1 to 255 characters. An ID is recorded only once per app, permanently.',
    }),
    subscriptionId: t.field({ type: 'UUID', required: true, description: 'The subscription.' }),
    quantity: t.field({
      type: 'Decimal',
      required: true,
      description: 'Units used: greater than zero, at most 12 integer digits and 12 decimals.',
    }),
    timestamp: t.field({
      type: 'DateTime',
      description: 'Time of the usage. Defaults to now; at most 5 minutes in the future.',
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
      'Records the usage of metered subscriptions. Events are independent: a rejected event does not affect the others. A repeated batch counts once.',
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
