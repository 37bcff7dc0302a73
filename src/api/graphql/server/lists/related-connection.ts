/** Connections of rows that belong to another row. The pages of many parent rows are read together in one statement. */
import type { ObjectRef } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type PrismaTypes from '../../../../../generated/pothos.ts';
import type { Access } from '../access/access.ts';
import { batched, printQuery } from '../batch.ts';
import { type BuilderTypes, builder } from '../builder.ts';
import { connectionSize, type WindowArgs } from '../connection.ts';
import type { GraphqlContext } from '../context.ts';
import { type Keyset, type Walked, walk } from './keyset.ts';

type Model = keyof PrismaTypes;
type ListRelation<Of extends Model> = Extract<PrismaTypes[Of]['ListRelations'], string>;
type RowOf<Of extends Model, Relation> = Relation extends keyof PrismaTypes[Of]['Relations']
  ? PrismaTypes[Of]['Relations'][Relation] extends { Shape: (infer Row)[] }
    ? Row
    : never
  : never;

/** The connection type of a node type, `<Name>Connection` with its `<Name>Edge`. */
export function connectionOf<Row extends object>(
  node: ObjectRef<BuilderTypes, Row>,
  name: string = node.name,
): ObjectRef<BuilderTypes, Walked<Row>> {
  const made = builder.connectionObject<typeof node, Walked<Row>>({
    name: `${name}Connection`,
    type: node,
    fields: (t) => ({
      totalCount: t.int({
        // Shows the connection of Prisma's plugin that the rows have been read.
        extensions: { pothosPrismaTotalCount: true },
        resolve: (connection) => connection.totalCount(),
      }),
    }),
  });
  // Relay's plugin types it by the row, without the count.
  return made as unknown as ObjectRef<BuilderTypes, Walked<Row>>;
}

type Related<Of extends Model, Relation extends ListRelation<Of>, Node> = {
  /** The table of the parent rows, and the relation that the field lists. */
  model: Of;
  relation: Relation;
  type: ObjectRef<BuilderTypes, Walked<Node>>;
  /** The name of the type of its nodes, if that type reads what its fields select. */
  selects?: string;
  keyset: Keyset<RowOf<Of, Relation>>;
  /** The condition of the plain list. */
  where?: (context: GraphqlContext, parent: PrismaTypes[Of]['Shape']) => object;
  description: string;
  authScopes?: { [Name in Access]?: boolean };
};

/** Adds a connection to the type `on`, in the caller's scope as every row of `on` is. */
export function relatedConnection<Of extends Model, Relation extends ListRelation<Of>, Node extends object>(
  on: ObjectRef<BuilderTypes, PrismaTypes[Of]['Shape'] & { id: string }>,
  name: string,
  { model, relation, type, selects, keyset, where, description, authScopes }: Related<Of, Relation, Node>,
): void {
  builder.objectField(on, name, (t) =>
    t.field({
      type,
      description,
      ...(authScopes ? { authScopes } : {}),
      complexity: (args: WindowArgs) => ({ field: 1, multiplier: connectionSize(args) }),
      extensions: { cursorForm: keyset.form },
      args: t.arg.connectionArgs(),
      resolve: (row, args, context, info) => {
        const { id } = row;
        const own = where?.(context, row) ?? {};
        const key = `${placeOfField(info)} ${JSON.stringify(own)}`;
        const read = (select: object) => (ids: string[]) => readParents(context, { model, ids, select });
        return walk<RowOf<Of, Relation> & Node>(args, {
          keyset,
          read: async (window) => {
            const query = selects === undefined ? {} : selectionOf(context, info, selects);
            const rows = { ...query, ...window, where: { AND: [own, window.where] } };
            // The same place may have several windows and selections, in fragments on different types.
            const parent = await batched(context, `${key}: ${printQuery(rows)}`, id, read({ [relation]: rows }));
            // The result of the relation, as typed by Prisma.
            return (parent?.[relation] ?? []) as (RowOf<Of, Relation> & Node)[];
          },
          count: async () => {
            const select = { _count: { select: { [relation]: { where: own } } } };
            const parent = await batched(context, `${key}: count`, id, read(select));
            return Number(Reflect.get(Object(parent?._count), relation) ?? 0);
          },
        });
      },
    }),
  );
}

/** Returns the relations and columns that the fields of the nodes select. */
export function selectionOf(context: GraphqlContext, info: GraphQLResolveInfo, typeName: string): object {
  return queryFromInfo({ context, info, typeName, paths: [['nodes'], ['edges', 'node']] });
}

type Parent = Record<string, unknown>;

async function readParents(
  context: GraphqlContext,
  { model, ids, select }: { model: Model; ids: string[]; select: object },
): Promise<ReadonlyMap<string, Parent>> {
  const table = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
  // Every table of the client is read in the same way; the columns of the result are not known here.
  const reader = Reflect.get(context.database, table) as { findMany(query: object): Promise<Parent[]> };
  const rows = await reader.findMany({ where: { id: { in: ids } }, select: { id: true, ...select } });
  return new Map(rows.map((row) => [String(row.id), row]));
}

/** Returns a field's place in the operation, which is the same for all rows. */
export function placeOfField(info: GraphQLResolveInfo): string {
  return `${info.parentType.name}${pathOf(info.path)}`;
}

/** Returns the path in the response without list indexes. */
function pathOf(path: GraphQLResolveInfo['path'] | undefined): string {
  if (path === undefined) return '';
  const before = pathOf(path.prev);
  return typeof path.key === 'number' ? before : `${before}.${path.key}`;
}
