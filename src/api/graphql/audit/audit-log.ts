/** The audit log: the type AuditEntry, and the queries auditLog and installationAuditLog. */
import type { AuditEntry, Prisma } from '../../../../prisma/client.ts';
import { auditConditions, auditFilterSchema, installationEntries } from '../../../auth/audit/audit-filter.ts';
import { invalid } from '../../../errors.ts';
import { isId } from '../../../platform/identifier.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { connectionSize, cursorFault } from '../server/connection.ts';
import type { GraphqlContext } from '../server/context.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { DEFAULT_PAGE_SIZE, requireListSize } from '../server/limits.ts';
import { scopeOf } from '../server/scope-of.ts';

const AuditActorKindEnum = builder.enumType('AuditActorKind', {
  description: 'The kind of actor.',
  values: {
    MEMBER: { value: 'MEMBER', description: 'A member of the merchant, who is logged in to the dashboard.' },
    API_KEY: { value: 'API_KEY', description: 'A secret API key.' },
    OPERATOR: { value: 'OPERATOR', description: "An operator's credential of the installation." },
    ARBITER: { value: 'ARBITER', description: "An arbiter's credential of the installation." },
    COMMAND_LINE: { value: 'COMMAND_LINE', description: 'An operator at the command line of the installation.' },
  } as const,
});

const AuditEntryRef = builder.prismaObject('AuditEntry', {
  description: 'One action in the audit log. Entries are appended, and never changed or deleted.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the action.' }),
    action: t.exposeString('action', { description: 'The action, such as `api_key.created`.' }),
    actorKind: t.expose('actorKind', { type: AuditActorKindEnum, description: 'The kind of actor.' }),
    actorId: t.expose('actorId', {
      type: 'UUID',
      nullable: true,
      description: 'ID of the member, key or credential. Null for the command line.',
    }),
    actorName: t.exposeString('actorName', {
      description:
        "Name of the actor at that time: a member's email, a key's prefix, a credential's name, or a user of the operating system.",
    }),
    merchantId: t.expose('merchantId', {
      type: 'UUID',
      nullable: true,
      description: 'The merchant that the action concerns. Null if it concerns the installation only.',
    }),
    appId: t.expose('appId', {
      type: 'UUID',
      nullable: true,
      description: 'The app that the action concerns. Null if it concerns no app.',
    }),
    targetType: t.exposeString('targetType', { description: 'The kind of object that was changed, such as `ApiKey`.' }),
    targetId: t.exposeString('targetId', { nullable: true, description: 'The object that was changed.' }),
    before: t.expose('before', {
      type: 'JSONObject',
      nullable: true,
      description: 'The changed fields before the change. Null if the object was created.',
    }),
    after: t.expose('after', {
      type: 'JSONObject',
      nullable: true,
      description: 'The same fields after the change. Null if the object was deleted.',
    }),
    address: t.exposeString('address', { nullable: true, description: "The caller's IP address." }),
    userAgent: t.exposeString('userAgent', {
      nullable: true,
      description: "The caller's user agent, as sent in the request.",
    }),
    requestId: t.exposeString('requestId', {
      description: 'The API request of the action, as in the response header `x-request-id`.',
    }),
  }),
});

const rules = defineRules({ schema: auditFilterSchema });

const AuditLogFilter = builder.inputType('AuditLogFilter', {
  description: 'Conditions on entries of the audit log. Entries must satisfy all of them.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    action: t.stringList({
      description: 'Only these actions, such as `member.invited`, or groups of actions, such as `member.*`.',
    }),
    actorKind: t.field({ type: AuditActorKindEnum, description: 'Only actions of these kinds of actors.' }),
    actorId: t.field({ type: 'UUID', description: 'Only actions of this member, key or credential.' }),
    targetId: t.string({ description: 'Only actions on this object.' }),
    requestId: t.string({ description: 'Only actions of this API request (`x-request-id`).' }),
    from: t.field({ type: 'DateTime', description: 'Only actions at or after this time.' }),
    to: t.field({ type: 'DateTime', description: 'Only actions before this time.' }),
  }),
});

type Window = {
  [Name in 'after' | 'before' | 'cursor']?: string | null | undefined;
} & { [Name in 'first' | 'last' | 'limit']?: number | null | undefined };

type Entries = {
  rows: AuditEntry[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  total(): Promise<number>;
};

type Reader = Pick<GraphqlContext['database'], 'auditEntry'>;

/** Newest first; the cursor is an entry's id. */
async function readWindow(reader: Reader, where: Prisma.AuditEntryWhereInput, asked: Window): Promise<Entries> {
  const { after, before, size, isBackward } = windowOf(asked);
  const rows = await reader.auditEntry.findMany({
    where: { AND: [where, after ? { id: { lt: after } } : {}, before ? { id: { gt: before } } : {}] },
    orderBy: { id: isBackward ? 'asc' : 'desc' },
    take: size + 1,
  });
  const hasMore = rows.length > size;
  const held = rows.slice(0, size);
  const total = () => reader.auditEntry.count({ where });
  if (isBackward) return { rows: held.reverse(), hasNextPage: before !== undefined, hasPreviousPage: hasMore, total };
  return { rows: held, hasNextPage: hasMore, hasPreviousPage: after !== undefined, total };
}

function windowOf(asked: Window) {
  requireListSize({ first: asked.first, last: asked.last, limit: asked.limit });
  if (asked.first != null && asked.last != null)
    throw invalid([{ param: 'last', message: 'cannot be combined with first' }]);
  const names = ['after', 'before', 'cursor'] as const;
  const faults = names.filter((name) => asked[name] != null && !isId(asked[name]));
  if (faults.length > 0) throw invalid(faults.map(cursorFault));
  if (asked.cursor != null && asked.after != null)
    throw invalid([{ param: 'cursor', message: 'cannot be combined with after' }]);
  if (asked.limit != null && (asked.first != null || asked.last != null)) {
    throw invalid([{ param: 'limit', message: 'cannot be combined with first or last' }]);
  }
  const isBackward = asked.last != null;
  return {
    after: (asked.after ?? asked.cursor)?.toLowerCase(),
    before: asked.before?.toLowerCase(),
    size: asked.first ?? asked.last ?? asked.limit ?? DEFAULT_PAGE_SIZE,
    isBackward,
  };
}

const AuditLogEdge = builder.objectRef<AuditEntry>('AuditLogEdge').implement({
  description: 'An entry of the audit log in its list.',
  fields: (t) => ({
    cursor: t.exposeString('id', { description: 'Cursor of the entry, to pass as `after` or `before`: its ID.' }),
    node: t.field({ type: AuditEntryRef, description: 'The entry.', resolve: (entry) => entry }),
  }),
});

const AuditEntries = builder.objectRef<Entries>('AuditEntries').implement({
  description: 'A page of the audit log, newest first.',
  fields: (t) => ({
    edges: t.field({
      type: [AuditLogEdge],
      description: 'The entries of this page, each with its cursor.',
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ rows }) => rows,
    }),
    nodes: t.field({
      type: [AuditEntryRef],
      description: 'The entries of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ rows }) => rows,
    }),
    pageInfo: t.field({
      type: builder.pageInfoRef(),
      description: 'Position of this page in the log.',
      resolve: ({ rows, hasNextPage, hasPreviousPage }) => ({
        hasNextPage,
        hasPreviousPage,
        startCursor: rows[0]?.id ?? null,
        endCursor: rows.at(-1)?.id ?? null,
      }),
    }),
    hasMore: t.exposeBoolean('hasNextPage', {
      description: 'Whether there are older entries. To read them, request the entries after the last one.',
    }),
    totalCount: t.int({
      description: 'Number of matching entries. They are counted only if the field is requested.',
      resolve: ({ total }) => total(),
    }),
  }),
});

const logArgs = builder.args((t) => ({
  first: t.int({
    description: 'Number of entries from the newest, 1 to 100. Defaults to 20. Cannot be combined with `last`.',
  }),
  after: t.string({ description: 'A cursor. Returns the entries after it.' }),
  last: t.int({ description: 'Number of entries from the oldest, 1 to 100. Cannot be combined with `first`.' }),
  before: t.string({ description: 'A cursor. Returns the entries before it.' }),
  cursor: t.id({ description: 'ID of the last entry of the previous page. An alias of `after`, which REST uses.' }),
  limit: t.int({ description: '1 to 100. Defaults to 20. An alias of `first`, which REST uses.' }),
  filter: t.field({ type: AuditLogFilter, description: 'Returns only rows that match every given condition.' }),
}));

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditEntries,
    description:
      'The audit log, newest first. A key reads the entries of its app; an owner or a developer those of the merchant, its members and all its apps.',
    authScopes: { write: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize({ ...args, first: args.first ?? args.limit }) }),
    args: logArgs,
    resolve: async (_root, args, context) => {
      const filter = checked(context, rules, args.filter ?? {});
      const { merchantId, appId } = await scopeOf(context, { appId: filter.appId });
      const where = { merchantId, ...(appId === null ? {} : { appId }), ...auditConditions(filter) };
      return await readWindow(context.database, where, args);
    },
  }),
);

builder.queryField('installationAuditLog', (t) =>
  t.field({
    type: AuditEntries,
    description:
      'The audit log of the installation, newest first. It contains changes of the installation itself, such as the pause of a chain, and every change that its operators made for a merchant.',
    authScopes: { operator: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize({ ...args, first: args.first ?? args.limit }) }),
    args: logArgs,
    resolve: async (_root, args, context) => {
      const filter = checked(context, rules, args.filter ?? {});
      const ofApp = filter.appId ? { appId: filter.appId } : {};
      return await readWindow(
        context.world.database,
        { AND: [installationEntries(), ofApp, auditConditions(filter)] },
        args,
      );
    },
  }),
);
