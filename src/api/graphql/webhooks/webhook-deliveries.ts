/** The query webhookDeliveries: a connection, whose cursors are the deliveries' ids. */
import type { WebhookDelivery } from '../../../../prisma/client.ts';
import { invalid } from '../../../errors.ts';
import { findEndpoint } from '../../../events/webhooks/store.ts';
import { isId } from '../../../platform/identifier.ts';
import { builder } from '../server/builder.ts';
import { cursorFault } from '../server/connection.ts';
import { DEFAULT_PAGE_SIZE, requireListSize } from '../server/limits.ts';
import { listComplexity } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { WebhookDeliveryRef, WebhookDeliveryStatusEnum } from './webhook-endpoint.ts';

type Deliveries = {
  items: WebhookDelivery[];
  hasMore: boolean;
  hasEarlier: boolean;
  /** Counted only if it is selected. */
  total(): Promise<number>;
};

const WebhookDeliveryEdge = builder.objectRef<WebhookDelivery>('WebhookDeliveryEdge').implement({
  description: 'A delivery in its list.',
  fields: (t) => ({
    cursor: t.exposeString('id', { description: 'Cursor of the delivery, to pass as `after`.' }),
    node: t.field({ type: WebhookDeliveryRef, description: 'The delivery.', resolve: (delivery) => delivery }),
  }),
});

const WebhookDeliveries = builder.objectRef<Deliveries>('WebhookDeliveries').implement({
  description: 'Deliveries, newest first.',
  fields: (t) => ({
    items: t.field({
      type: [WebhookDeliveryRef],
      description: 'The deliveries. The ID of the last one is the cursor of the next page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (page) => page.items,
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there are older deliveries.' }),
    nodes: t.field({
      type: [WebhookDeliveryRef],
      description: 'The deliveries.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (page) => page.items,
    }),
    edges: t.field({
      type: [WebhookDeliveryEdge],
      description: 'The deliveries with their cursors.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (page) => page.items,
    }),
    pageInfo: t.field({
      type: builder.pageInfoRef(),
      description: 'Position of this page in the list.',
      resolve: ({ items, hasMore, hasEarlier }) => ({
        hasNextPage: hasMore,
        hasPreviousPage: hasEarlier,
        startCursor: items[0]?.id ?? null,
        endCursor: items.at(-1)?.id ?? null,
      }),
    }),
    totalCount: t.int({ description: 'Number of deliveries on all pages.', resolve: (page) => page.total() }),
  }),
});

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    type: WebhookDeliveries,
    description: 'Deliveries to an endpoint, newest first. NOT_FOUND if the endpoint does not belong to the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.first ?? args.limit),
    args: {
      endpointId: t.arg.id({ required: true, description: "The endpoint's UUID." }),
      appId: t.arg.id({ description: 'The app of the endpoint.' }),
      first: t.arg.int({ description: '1 to 100. Defaults to 20.' }),
      after: t.arg.string({ description: 'Cursor of the last delivery of the previous page.' }),
      cursor: t.arg.id({
        description: 'ID of the last delivery of the previous page. An alias of `after`, which REST uses.',
      }),
      limit: t.arg.int({ description: '1 to 100. Defaults to 20. An alias of `first`, which REST uses.' }),
      status: t.arg({ type: WebhookDeliveryStatusEnum, description: 'Only this status.' }),
    },
    resolve: async (_root, args, context) => {
      const { first, limit } = args;
      const size = oneOf({ first, limit }) ?? DEFAULT_PAGE_SIZE;
      const after = cursorOf(args);
      requireListSize({ first, limit });
      const scope = await scopeOf(context, args);
      const endpoint = await findEndpoint(context.world.database, { scope, id: args.endpointId });
      const deliveries = context.database.webhookDelivery;
      const where = { webhookId: endpoint.id, ...(args.status ? { status: args.status } : {}) };
      const rows = await deliveries.findMany({
        where: { ...where, ...(after ? { id: { lt: after } } : {}) },
        orderBy: { id: 'desc' },
        take: size + 1,
        include: { source: true },
      });
      return {
        items: rows.slice(0, size),
        hasMore: rows.length > size,
        hasEarlier: after !== undefined,
        total: () => deliveries.count({ where }),
      };
    },
  }),
);

type Cursors = { after?: string | null | undefined; cursor?: string | null | undefined };

function cursorOf({ after, cursor }: Cursors): string | undefined {
  if (after != null && !isId(after)) throw invalid([cursorFault('after')]);
  return oneOf({ after, cursor });
}

/** Returns the value of the argument that is given. Throws VALIDATION_ERROR if two alternatives are given. */
function oneOf<Value>(given: Record<string, Value | null | undefined>): Value | undefined {
  const [one, other] = Object.entries(given).flatMap(([param, value]) => (value == null ? [] : [{ param, value }]));
  if (one && other) throw invalid([{ param: other.param, message: `cannot be combined with ${one.param}` }]);
  return one?.value;
}
