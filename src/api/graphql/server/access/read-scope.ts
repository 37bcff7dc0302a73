/**
 * Limits what a restricted key without the scope READ may select from the result of a mutation: the object that it wrote and its parts, but
 * no other resource that is related to it. Checked before the mutation is executed.
 */
import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Principal } from '../../../../auth/principal.ts';
import { isRestricted, readingFields, requireScope } from './key-scopes.ts';
import { accessNeeded } from './root-access.ts';

type Request = { schema: GraphQLSchema; document: DocumentNode; operation: OperationDefinitionNode };

/** Throws AUTHORIZATION_ERROR if a restricted key selects what needs READ. The root fields have already been checked. */
export function requireReadScope(request: Request, principal: Principal): void {
  if (!isRestricted(principal) || principal.scopes.includes('READ')) return;
  const root = request.schema.getRootType(request.operation.operation);
  if (root && selectsResource(request, root)) requireScope(principal, 'READ');
}

function selectsResource({ schema, document, operation }: Request, root: GraphQLObjectType): boolean {
  const resources = resourcesOf(schema);
  const seen = new Set<string>();
  const walk = (set: SelectionSetNode, type: GraphQLObjectType, inside: boolean): boolean =>
    set.selections.some((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return walk(selection.selectionSet, type, inside);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const visit = `${selection.name.value} ${inside}`;
        const fragment = document.definitions.find(
          (held) => held.kind === Kind.FRAGMENT_DEFINITION && held.name.value === selection.name.value,
        );
        if (seen.has(visit) || fragment?.kind !== Kind.FRAGMENT_DEFINITION) return false;
        seen.add(visit);
        return walk(fragment.selectionSet, type, inside);
      }
      const field = type.getFields()[selection.name.value];
      if (!field) return false;
      if (type !== root && accessNeeded(type, field.name)?.includes('read')) return true;
      const made = getNamedType(field.type);
      const isResource = resources.has(made.name);
      if (isResource && inside) return true;
      return isObjectType(made) && selection.selectionSet
        ? walk(selection.selectionSet, made, inside || isResource)
        : false;
    });
  return walk(operation.selectionSet, root, false);
}

const known = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** Returns the types that queries with READ return. */
function resourcesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const found = known.get(schema);
  if (found) return found;
  const fields = schema.getQueryType()?.getFields() ?? {};
  const types = readingFields.flatMap((name) => (fields[name] ? [getNamedType(fields[name].type).name] : []));
  const made = new Set(types);
  known.set(schema, made);
  return made;
}
