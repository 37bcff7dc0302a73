import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphqlContext } from '../server/context.ts';

/** The cost of introspection, for each root field that reads it. */
const INTROSPECTION_COMPLEXITY = 500;

/**
 * Returns the complexity of an operation: the number of its fields, with lists multiplied by their size. Throws what the coercion of
 * arguments throws. Called once per operation, before it is executed.
 */
export function operationComplexity(
  context: GraphqlContext,
  request: {
    schema: GraphQLSchema;
    document: DocumentNode;
    operation: OperationDefinitionNode;
    variables: Record<string, unknown>;
  },
): number {
  const { schema, document, operation, variables } = request;
  const isWanted = (definition: DocumentNode['definitions'][number]) =>
    definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION;
  const only: DocumentNode = { ...document, definitions: document.definitions.filter(isWanted) };
  const { complexity } = complexityFromQuery(only, { schema, variables, ctx: context });
  return complexity + INTROSPECTION_COMPLEXITY * introspections(operation.selectionSet, only, new Set());
}

/** Counts the root fields for introspection. Each fragment counts once, because its fields are merged. */
function introspections(set: SelectionSetNode, document: DocumentNode, seen: Set<string>): number {
  let count = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) count += /^__(schema|type)$/.test(selection.name.value) ? 1 : 0;
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += introspections(selection.selectionSet, document, seen);
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value);
      const fragment = document.definitions.find(
        (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
      );
      if (fragment && 'selectionSet' in fragment && fragment.selectionSet) {
        count += introspections(fragment.selectionSet, document, seen);
      }
    }
  }
  return count;
}
