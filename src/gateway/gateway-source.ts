/** What a source other than the core adds to the schema, and how access and complexity of its fields are declared. */
import { type DocumentNode, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type Access, mayAsk } from '../api/graphql/server/access/access.ts';
import type { GraphqlContext } from '../api/graphql/server/context.ts';
import { refusal } from '../api/graphql/server/scope-of.ts';

export type GatewaySource = {
  name: string;
  /**
   * The source's own schema, executed in this process. Its types and root fields become part of the running schema. Absent for sources that
   * are reached only through fields of the core's types.
   */
  schema?: GraphQLSchema | undefined;
  /** The fields that it adds to types of the core, as `extend type` definitions, with their resolvers. */
  joins: { typeDefs: DocumentNode; fields: GatewayFields };
  close(): void | Promise<void>;
};

/** By type, then by field. */
export type GatewayFields = Record<string, Record<string, GatewayField>>;

export type GatewayField = {
  /** Who may request the field. Any one of them suffices. Absent inside an object that is guarded where it is read. */
  access?: readonly Access[];
  /** Same as for the core's fields. If it is absent, a list of unknown size counts ten times. */
  complexity?: Complexity | ((args: ListArgs) => Complexity);
  resolve?: GraphQLFieldResolver<unknown, GraphqlContext>;
};

type Complexity = { field: number; multiplier: number };
type ListArgs = { first?: number | null | undefined };

/** Adds resolvers and extensions to fields of a schema, in place. A field with `access` is refused to callers without it. */
export function addFields(schema: GraphQLSchema, fields: GatewayFields): void {
  for (const [typeName, ofType] of Object.entries(fields)) {
    const type = schema.getType(typeName);
    for (const [name, { access, complexity, resolve }] of Object.entries(ofType)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (!field) throw new TypeError(`The graph has no field ${typeName}.${name}.`);
      // Access and complexity checks before execution read the extensions in the form that the core's schema builder writes.
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
