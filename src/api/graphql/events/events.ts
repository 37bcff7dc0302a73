/** The event sequence: the query and the live field `events`, and the query eventLog. */
import { z } from 'zod';
import { invalid } from '../../../errors.ts';
import { type EventType, eventTypes, isEventType } from '../../../events/event-type.ts';
import {
  countEvents,
  type EventSearch,
  findEvents,
  readEvents,
  readNewestEvents,
  type SequencedEvent,
} from '../../../events/store.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { connectionSize, orderArgs } from '../server/connection.ts';
import type { GraphqlContext } from '../server/context.ts';
import { checked, defineRules } from '../server/input.ts';
import { bySequence, walk } from '../server/lists/keyset.ts';
import { connectionOf } from '../server/lists/related-connection.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { checkedAfter, followSequence } from './follow-sequence.ts';

const LIMIT = 100;
const LARGEST_LIMIT = 1000;
const MOST_TYPES = 200;
const LOG = 25;
const LARGEST_LOG = 100;

const FinalityRef = builder
  .objectRef<{ confirmations: number; required: number; isFinal: boolean }>('Finality')
  .implement({
    description: 'Confirmations of an event on a chain.',
    fields: (t) => ({
      confirmations: t.exposeInt('confirmations', {
        description: 'Number of confirmations, counting the block that includes the event.',
      }),
      required: t.exposeInt('required', {
        description: 'Number of confirmations that this installation requires on the chain.',
      }),
      isFinal: t.exposeBoolean('isFinal', { description: 'Whether it is final.' }),
    }),
  });

export const EventRef = builder.objectRef<SequencedEvent>('Event').implement({
  description: "One event of an app's append-only sequence.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Stable ID of the event, which webhooks carry in the header `webhook-id`.',
    }),
    type: t.exposeString('type', { description: 'Type of the event, such as `payment_intent.captured`.' }),
    sequence: t.int({
      description: 'Sequence number in the app, from 1 and without gaps.',
      resolve: (event) => Number(event.sequence),
    }),
    timestamp: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was appended.' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    resourceId: t.expose('resourceId', {
      extensions: { rest: false },
      type: 'UUID',
      description: 'The resource that changed.',
    }),
    data: t.expose('data', {
      type: 'JSONObject',
      description: 'Scalar fields of the resource at the time of the event.',
    }),
    requestId: t.string({
      extensions: { rest: false },
      nullable: true,
      description:
        'The API request that caused the event, as in the response header `x-request-id`. Null if it is unknown.',
      resolve: (event) => event.requestId,
    }),
    finality: t.field({
      extensions: { rest: true },
      type: FinalityRef,
      nullable: true,
      description: 'Finality of the on-chain event that caused this event. Null if there was none.',
      resolve: (event) => event.finality,
    }),
  }),
});

export const EventConnection = connectionOf(EventRef);

const EventPage = builder.objectRef<{ items: SequencedEvent[]; hasMore: boolean }>('EventPage').implement({
  description: 'A page of events.',
  fields: (t) => ({
    items: t.field({
      type: [EventRef],
      description: 'The events, oldest first; in `eventLog`, newest first.',
      resolve: (page) => page.items,
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'Whether more events follow. To read them, request the events after the last sequence number.',
    }),
  }),
});

const sequenceArgs = builder.args((t) => ({
  after: t.int({ description: 'The last sequence number that you received, or 0 for all events.' }),
  types: t.stringList({ description: `Only events of these types. Defaults to all ${eventTypes.length} types.` }),
  appId: t.id({ description: 'Required if the credential covers several apps.' }),
}));

builder.queryField('events', (t) =>
  t.field({
    type: EventPage,
    description:
      "Events of an app's sequence after a number. EXPIRED if some of them have been archived: the message has the number of the newest archived event.",
    authScopes: { read: true },
    complexity: ({ limit }) => ({ field: 1, multiplier: Math.max(1, Math.min(limit, LARGEST_LIMIT)) }),
    args: {
      ...sequenceArgs,
      limit: t.arg.int({ required: true, defaultValue: LIMIT, description: 'Number of events to return, 1 to 1000.' }),
    },
    resolve: async (_root, args, context) => {
      const { after, types } = readSequenceArgs(args);
      const { appId } = await appScopeOf(context, args);
      const items = await readEvents(context.world.database, {
        appId,
        after: after ?? 0n,
        limit: args.limit + 1,
        types,
      });
      return { items: items.slice(0, args.limit), hasMore: items.length > args.limit };
    },
  }),
);

const searchSchema = z.object({
  requestId: z.string().min(1, 'at least 1 character').max(128, 'at most 128 characters').nullish(),
  resourceId: z.guid('a UUID').nullish(),
});
const searchRules = defineRules({ schema: searchSchema });
const logRules = defineRules({
  schema: searchSchema.extend({
    before: z.int().min(1, 'at least 1').nullish(),
    limit: z.int().min(1, 'from 1 to 100').max(LARGEST_LOG, 'from 1 to 100').nullish(),
  }),
});

const searchArgs = builder.args((t) => ({
  appId: t.id({ description: 'Required if the credential covers several apps.' }),
  types: t.stringList({ description: 'Only events of these types. Defaults to all.' }),
  requestId: t.string({ description: 'Only events caused by this API request (`x-request-id`).' }),
  resourceId: t.id({ description: 'Only events of this resource, a UUID.' }),
}));

type SearchArgs = {
  appId?: string | null | undefined;
  types?: string[] | null | undefined;
  requestId?: string | null | undefined;
  resourceId?: string | null | undefined;
};

/** Returns the search that `searchArgs` describe, in one app of the caller. */
async function searchOf(context: GraphqlContext, args: SearchArgs): Promise<EventSearch> {
  const { types } = readSequenceArgs({ types: args.types ?? null });
  const { requestId, resourceId } = checked(context, searchRules, args);
  const { appId } = await appScopeOf(context, args);
  return {
    appId,
    types,
    ...(requestId == null ? {} : { requestId }),
    ...(resourceId == null ? {} : { resourceId }),
  };
}

builder.queryField('eventLog', (t) =>
  t.field({
    type: EventPage,
    description:
      "An app's events, newest first. Conditions on the request, the resource and the types can be combined.",
    authScopes: { read: true },
    complexity: ({ limit }) => ({ field: 1, multiplier: Math.max(1, Math.min(limit ?? LOG, LARGEST_LOG)) }),
    args: {
      ...searchArgs,
      before: t.arg.int({
        description: 'Only events before this sequence number. Pass the last sequence number of the previous page.',
      }),
      limit: t.arg.int({ description: `Maximum number of events, 1 to ${LARGEST_LOG}. Defaults to ${LOG}.` }),
    },
    resolve: async (_root, args, context) => {
      const { before, limit: asked } = checked(context, logRules, args);
      const limit = asked ?? LOG;
      const items = await readNewestEvents(context.world.database, {
        ...(await searchOf(context, args)),
        limit: limit + 1,
        ...(before == null ? {} : { before: BigInt(before) }),
      });
      return { items: items.slice(0, limit), hasMore: items.length > limit };
    },
  }),
);

const keysets = { NEWEST: bySequence('NEWEST'), OLDEST: bySequence('OLDEST') };

builder.queryField('eventsConnection', (t) =>
  t.field({
    type: EventConnection,
    description:
      "An app's events, newest first unless ordered otherwise; at most 100 per page. Conditions on the request, the resource and the types can be combined.",
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    extensions: { cursorForm: keysets.NEWEST.form },
    args: { ...t.arg.connectionArgs(), ...orderArgs, ...searchArgs },
    resolve: async (_root, args, context) => {
      const { database } = context.world;
      const search = await searchOf(context, args);
      return await walk(args, {
        keyset: keysets[args.orderBy],
        read: (window) => findEvents(database, search, window),
        count: () => countEvents(database, search),
      });
    },
  }),
);

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventRef,
    description:
      "An app's events as they are appended. With `after`, all events since that number come first, so that a client that reconnects misses nothing and receives nothing twice. VALIDATION_ERROR if the app has no such event yet, EXPIRED if events after it have been archived.",
    authScopes: { read: true },
    args: sequenceArgs,
    subscribe: async (_root, args, context) => {
      const { types } = readSequenceArgs(args);
      const { appId } = await appScopeOf(context, args);
      const { database } = context.world;
      return followSequence(context.world, {
        appId,
        after: await checkedAfter(database, { appId, after: args.after }),
        passes: ({ type }) => !types || types.some((one) => one === type),
        read: (window) => readEvents(database, { appId, ...window, types }),
      });
    },
    resolve: (event) => event,
  }),
);

/** Throws one VALIDATION_ERROR for an invalid `after`, unknown types and a `limit` out of bounds. */
function readSequenceArgs(args: { after?: number | null; types?: string[] | null; limit?: number }): {
  after: bigint | undefined;
  types: EventType[] | undefined;
} {
  const types = args.types ?? [];
  if (types.length > MOST_TYPES) {
    throw invalid([{ param: 'types', message: `has ${types.length} entries, at most ${MOST_TYPES}` }]);
  }
  const faults = types.flatMap((type, index) =>
    isEventType(type) ? [] : [{ param: `types[${index}]`, message: 'is not an event type' }],
  );
  if (args.after != null && args.after < 0) {
    faults.push({ param: 'after', message: `is ${args.after}, at least 0` });
  }
  if (args.limit !== undefined && (args.limit < 1 || args.limit > LARGEST_LIMIT)) {
    faults.push({ param: 'limit', message: `is ${args.limit}, from 1 to ${LARGEST_LIMIT}` });
  }
  if (faults.length > 0) throw invalid(faults);
  return {
    after: args.after == null ? undefined : BigInt(args.after),
    types: types.length > 0 ? types.filter(isEventType) : undefined,
  };
}
