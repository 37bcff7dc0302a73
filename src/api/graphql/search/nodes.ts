/** The queries node and nodes: objects of any type by their ids. */
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { type FieldFault, invalid } from '../../../errors.ts';
import { canonicalId, isId } from '../../../platform/identifier.ts';
import { batched, printQuery } from '../server/batch.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { LIST_LIMIT } from '../server/limits.ts';
import { reachOf } from '../server/scope-of.ts';
import { findNodeTypes } from './find-node-types.ts';
import { type NodeRow, type NodeType, nodeAccess, nodeTypesOf } from './node-types.ts';

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description: 'The object with this ID. Null if there is none that the caller may read.',
    authScopes: nodeAccess,
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context, info) => {
      if (!isId(id)) throw invalid([notUuid('id')]);
      const [found] = await readNodes(context, [id], info);
      return found ?? null;
    },
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeRef],
    nullable: { list: false, items: true },
    description:
      'The objects with these IDs, in the order of the IDs. Null for each that does not exist or that the caller may not read.',
    authScopes: nodeAccess,
    complexity: ({ ids }) => {
      const size = Math.max(1, Math.min(ids.length, LIST_LIMIT));
      return { field: size, multiplier: size };
    },
    args: { ids: t.arg.idList({ required: true, description: `The UUIDs of the objects, at most ${LIST_LIMIT}.` }) },
    resolve: async (_root, { ids }, context, info) => {
      if (ids.length > LIST_LIMIT) {
        throw invalid([{ param: 'ids', message: `has ${ids.length} entries, at most ${LIST_LIMIT}` }]);
      }
      const faults = ids.flatMap((id, index) => (isId(id) ? [] : [notUuid(`ids[${index}]`)]));
      if (faults.length > 0) throw invalid(faults);
      return await readNodes(context, ids, info);
    },
  }),
);

function notUuid(param: string): FieldFault {
  return { param, message: 'must be a UUID' };
}

/**
 * Reads the objects of `ids` that the caller may see, in their order. All ids of an operation, including its aliases, take one statement to
 * find their types, and another one per type and selection.
 */
function readNodes(context: GraphqlContext, ids: string[], info: GraphQLResolveInfo): Promise<(NodeRow | null)[]> {
  const types = nodeTypesOf(context);
  const reach = reachOf(context.principal);
  const queries = new Map<NodeType, object>();
  const queryOf = (type: NodeType): object => {
    const query = queries.get(type) ?? (type.isPlanned ? queryFromInfo({ context, info, typeName: type.name }) : {});
    queries.set(type, query);
    return query;
  };
  return Promise.all(
    ids.map(canonicalId).map(async (id) => {
      const type = await batched(context, 'nodeTypes', id, (asked) =>
        findNodeTypes(context.world.database, { ids: asked, types, reach }),
      );
      if (!type) return null;
      const query = queryOf(type);
      const name = `nodes of ${types.indexOf(type)} ${printQuery(query)}`;
      return (await batched(context, name, id, (found) => readRows(context, { type, query, ids: found }))) ?? null;
    }),
  );
}

async function readRows(
  context: GraphqlContext,
  { type, query, ids }: { type: NodeType; query: object; ids: string[] },
): Promise<Map<string, NodeRow>> {
  const rows = await type.read(context, { ...query, where: { id: { in: ids } } });
  // The executor resolves the row's type of the interface by this name.
  return new Map(rows.map((row) => [row.id, { ...row, __typename: type.name }]));
}
