/**
 * Relay connections with keyset pagination. A cursor contains a row's type and its key in the list, which by default is its id; ids are
 * ordered by time. A cursor is only a place in the list. It stays valid after its row is deleted, and gives no access to the row, which is
 * not read.
 */

import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma';
import { type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Scope } from '../../../auth/principal.ts';
import { type FieldFault, invalid } from '../../../errors.ts';
import { canonicalId, isId } from '../../../platform/identifier.ts';
import { builder } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { sizeFaults } from './limits.ts';
import { scopeOf } from './scope-of.ts';

export type WindowArgs = {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
};

/**
 * Adds a check of the arguments to every connection of the schema, before its resolver: sizes, mutually exclusive arguments, and cursors. A
 * cursor that does not belong to the connection is a VALIDATION_ERROR that names the argument.
 */
export function guardConnections(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const row = rowOf(field);
      if (row !== null) guard(field, row);
    }
  }
  return schema;
}

/** Returns the name of the type that a connection lists, or null for any other field. */
function rowOf(field: GraphQLField<unknown, unknown>): string | null {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || !type.name.endsWith('Connection')) return null;
  const edge = getNamedType(type.getFields().edges?.type);
  const node = isObjectType(edge) ? getNamedType(edge.getFields().node?.type) : undefined;
  return isObjectType(node) ? node.name : null;
}

function guard(field: GraphQLField<unknown, unknown>, row: string): void {
  const { resolve, extensions } = field;
  const form = extensions.cursorForm instanceof RegExp ? extensions.cursorForm : undefined;
  if (!resolve) throw new TypeError(`The connection ${field.name} has no resolver.`);
  field.resolve = async (parent, args: WindowArgs, context, info) => {
    const faults = [...sizeFaults({ first: args.first, last: args.last }), ...exclusionFaults(args)];
    const inside = (param: 'after' | 'before'): string | null => {
      const cursor = args[param];
      if (cursor == null) return null;
      const key = readCursor(row, cursor, form);
      if (key === null) faults.push(cursorFault(param));
      return key === null ? null : formatPrismaCursor({ key }, 'key');
    };
    const given = { ...args, after: inside('after'), before: inside('before') };
    if (faults.length > 0) throw invalid(faults);
    return printed(row, await resolve(parent, given, context, info));
  };
}

function exclusionFaults({ first, last, after, before }: WindowArgs): FieldFault[] {
  const together = (param: string, other: string) => [{ param, message: `cannot be combined with ${other}` }];
  return [
    ...(first != null && last != null ? together('last', 'first') : []),
    ...(after != null && before != null ? together('before', 'after') : []),
    ...(first != null && before != null ? together('before', 'first') : []),
    ...(last != null && after != null ? together('after', 'last') : []),
  ];
}

type Edge = { cursor: string } | null;
type Connection = { edges: Edge[]; pageInfo: { startCursor: string | null; endCursor: string | null } };

/** Returns a connection with its cursors as callers see them. */
function printed(row: string, connection: unknown): unknown {
  // The result of a connection's resolver, which Relay's plugin types by its row.
  const { edges, pageInfo } = connection as Connection;
  const print = (cursor: string | null) =>
    cursor === null ? null : printCursor(row, String(parsePrismaCursor(cursor)));
  return {
    ...(connection as Connection),
    edges: edges.map((edge) => edge && { ...edge, cursor: print(edge.cursor) }),
    pageInfo: { ...pageInfo, startCursor: print(pageInfo.startCursor), endCursor: print(pageInfo.endCursor) },
  };
}

function printCursor(row: string, key: string): string {
  return Buffer.from(`${row}:${key}`).toString('base64url');
}

/** Returns the key in a cursor of this type, if it has the form of the list and the canonical spelling, or else null. */
function readCursor(row: string, cursor: string, form: RegExp | undefined): string | null {
  if (cursor.length > CURSOR_LENGTH) return null;
  const [named = '', key = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':');
  const isKey = form ? form.test(key) : isId(key);
  return named === row && isKey && printCursor(row, canonicalId(key)) === cursor ? key : null;
}

/** Returns the fault of a cursor that does not belong to its list. */
export function cursorFault(param: string): FieldFault {
  return { param, message: 'is not a cursor of this list' };
}

const CURSOR_LENGTH = 200;

/** The start of a window: beyond the id of the cursor that is given as `param`. */
export type Place = { param: 'after' | 'before'; id: string; sign: 'lt' | 'gt' };

/** Returns the start of a connection's window in an ascending or descending list, or undefined at an end of the list. */
export function placeOf(query: { cursor?: object }, args: WindowArgs, ascending: boolean): Place | undefined {
  const id = query.cursor && 'id' in query.cursor ? query.cursor.id : undefined;
  if (typeof id !== 'string') return undefined;
  const param = args.before == null ? 'after' : 'before';
  return { param, id, sign: ascending === (param === 'after') ? 'gt' : 'lt' };
}

/**
 * Returns the arguments of `findMany` for a window of a connection ordered by `ListOrder`. Prisma's own `cursor` would read its row without
 * the caller's scope, and would find nothing beyond a deleted row.
 */
export function windowOf<Query extends { cursor?: object; skip?: number }, Where>(
  query: Query,
  args: WindowArgs & { orderBy: typeof ListOrder.$inferType },
  where: Where,
) {
  const { cursor, skip, ...rest } = query;
  const place = placeOf(query, args, args.orderBy === 'OLDEST');
  const beyond = place ? [{ id: { [place.sign]: place.id } }] : [];
  return { ...rest, where: { AND: [where, ...beyond] }, orderBy: idOrder(args) };
}

/** Returns the number of rows that a connection requests, for its complexity. */
export function connectionSize(args: WindowArgs): number {
  return Math.min(args.first ?? args.last ?? 20, 100);
}

const ListOrder = builder.enumType('ListOrder', {
  description: 'Sort orders of a list.',
  values: {
    NEWEST: { value: 'NEWEST', description: 'Newest first.' },
    OLDEST: { value: 'OLDEST', description: 'Oldest first.' },
  } as const,
});

/** The argument `orderBy` of a connection. */
export const orderArgs = builder.args((t) => ({
  orderBy: t.field({ type: ListOrder, required: true, defaultValue: 'NEWEST', description: 'Sort order.' }),
}));

function idOrder({ orderBy }: { orderBy: typeof ListOrder.$inferType }): { id: 'asc' | 'desc' } {
  return { id: orderBy === 'OLDEST' ? 'asc' : 'desc' };
}

type InApp<Conditions> = NoInfer<Conditions> & { appId?: string | null | undefined };

/** Returns the conditions of a connection's arguments and its `filter`. Rows must satisfy all of them, each in the caller's scope. */
export async function conditionsOf<Conditions, Where>(
  context: GraphqlContext,
  args: InApp<Conditions> & { filter?: InApp<Conditions> | null | undefined },
  where: (scope: Scope, conditions: Conditions) => Where,
): Promise<Where | { AND: Where[] }> {
  const own = where(await scopeOf(context, args), args);
  if (!args.filter) return own;
  return { AND: [own, where(await scopeOf(context, args.filter), args.filter)] };
}

/** Returns the condition for one or several statuses. An empty list is no condition. */
export function anyOf<Status extends string>(
  status: Status | readonly Status[] | null | undefined,
): { status?: { in: Status[] } } {
  const wanted = [status ?? []].flat() as Status[];
  return wanted.length === 0 ? {} : { status: { in: wanted } };
}
