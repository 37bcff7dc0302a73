import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Principal } from '../../../../auth/principal.ts';
import type { Config } from '../../../../config/config.ts';
import { GatewayError } from '../../../../errors.ts';
import { refusal } from '../scope-of.ts';
import { type Access, isAccess, mayAsk } from './access.ts';
import { isRestricted, requireScope, scopeNeeded } from './key-scopes.ts';

/**
 * Checks the credential before the parameters. Throws AUTHENTICATION_ERROR or AUTHORIZATION_ERROR if the caller may not select one of the
 * operation's root fields. Introspection is for developers (`mayIntrospect`).
 */
export function requireRootAccess(
  request: { schema: GraphQLSchema; document: DocumentNode; operation: OperationDefinitionNode },
  caller: { principal: Principal; config: Pick<Config, 'testClock'>; mayIntrospect: boolean },
): void {
  const root = request.schema.getRootType(request.operation.operation);
  if (!root) return;
  for (const name of rootFieldNames(request.document, request.operation.selectionSet)) {
    if (name === '__schema' || name === '__type') {
      if (!caller.mayIntrospect) throw new GatewayError('AUTHORIZATION_ERROR', 'Only members may read the schema.');
      continue;
    }
    const needed = accessNeeded(root, name);
    if (needed) requireFieldAccess(caller, { name, needed });
  }
}

/**
 * Throws AUTHENTICATION_ERROR or AUTHORIZATION_ERROR if the caller has none of `needed`. For a restricted key, the error names the missing
 * scope.
 */
export function requireFieldAccess(
  { principal, config }: { principal: Principal; config: Pick<Config, 'testClock'> },
  field: { name: string; needed: readonly Access[] },
): void {
  if (!mayAsk(principal, field.needed, config)) throw refusal(principal);
  if (!isRestricted(principal) || field.needed.includes('public')) return;
  const scope = scopeNeeded(field.name);
  if (scope === undefined) throw refusal(principal);
  requireScope(principal, scope);
}

/** Returns the access of which a root field requires one, or undefined for an unknown field. */
export function accessNeeded(root: GraphQLObjectType, fieldName: string): Access[] | undefined {
  const field = root.getFields()[fieldName];
  if (!field) return undefined;
  const options: unknown = field.extensions.pothosOptions;
  const scopes =
    typeof options === 'object' && options !== null && 'authScopes' in options ? options.authScopes : undefined;
  return typeof scopes === 'object' && scopes !== null ? Object.keys(scopes).filter(isAccess) : [];
}

function rootFieldNames(document: DocumentNode, selections: SelectionSetNode): Set<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const walk = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragmentOf(document, selection.name.value);
        if (fragment) walk(fragment.selectionSet);
      }
    }
  };
  walk(selections);
  return names;
}

function fragmentOf(document: DocumentNode, name: string): FragmentDefinitionNode | undefined {
  return document.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  ) as FragmentDefinitionNode | undefined;
}
