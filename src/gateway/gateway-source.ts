/** What a source beside the core brings to the graph, and how its fields are judged like the core's. */
import { type DocumentNode, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type Access, mayAsk } from '../api/graphql/server/access/access.ts';
import type { GraphqlContext } from '../api/graphql/server/context.ts';
import { refusal } from '../api/graphql/server/scope-of.ts';

export type GatewaySource = {
  name: string;
  /**
   * The source's own graph, executed in this process: its types and root fields become part of the running graph. Absent for
   * sources that only fields of the core's types lead to.
   */
  schema?: GraphQLSchema | undefined;
  /** The fields that it adds to types of the core, as `extend type` definitions, with their resolvers. */
  joins: { typeDefs: DocumentNode; fields: GatewayFields };
  close(): void | Promise<void>;
};

/** By type, then by field. */
export type GatewayFields = Record<string, Record<string, GatewayField>>;

export type GatewayField = {
  /** Who may ask for the field: any one suffices. Absent inside an object that is guarded where it is read. */
  access?: readonly Access[];
  /** As the core's fields say it; a list of unknown size counts ten times otherwise. */
  complexity?: Complexity | ((args: ListArgs) => Complexity);
  resolve?: GraphQLFieldResolver<unknown, GraphqlContext>;
};

type Complexity = { field: number; multiplier: number };
type ListArgs = { first?: number | null | undefined };

/** Gives fields of a schema their resolvers, in place; each is refused to a caller who may not ask for it. */
export function addFields(schema: GraphQLSchema, fields: GatewayFields): void {
  for (const [typeName, ofType] of Object.entries(fields)) {
    const type = schema.getType(typeName);
    for (const [name, { access, complexity, resolve }] of Object.entries(ofType)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (!field) throw new TypeError(`The graph has no field ${typeName}.${name}.`);
      // What judges access and cost before execution reads the extensions that the core's builder writes.
      const authScopes = access && {
        pothosOptions: { authScopes: Object.fromEntries(access.map((one) => [one, true])) },
      };
      field.extensions = { ...field.extensions, ...authScopes, ...(complexity ? { complexity } : {}) };
      if (resolve) field.resolve = access ? guarded(access, resolve) : resolve;
    }
  }
}

function guarded(
  access: readonly Access[],
  resolve: GraphQLFieldResolver<unknown, GraphqlContext>,
): GraphQLFieldResolver<unknown, GraphqlContext> {
  return (parent, args, context, info) => {
    if (!mayAsk(context.principal, access, context.world.config)) throw refusal(context.principal);
    return resolve(parent, args, context, info);
  };
}
