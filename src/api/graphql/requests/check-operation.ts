/**
 * Checks an operation before it is executed: the credential, then the variables, then the cost, which is charged to the caller's rate
 * limit. No part of an operation runs before this returns undefined.
 */
import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { FieldFault, GatewayError } from '../../../errors.ts';
import { requireReadScope } from '../server/access/read-scope.ts';
import { requireRootAccess } from '../server/access/root-access.ts';
import type { GraphqlContext } from '../server/context.ts';
import { faultFacts, formatFault, joinFaults } from '../server/fault.ts';
import { complexityLimit, extraUnits, overLimit } from '../server/limits.ts';
import {
  allVariableFaults,
  namedByArguments,
  operationOf,
  variableFault,
  variableFaults,
} from '../server/request-faults.ts';
import type { World } from '../server/world.ts';
import { operationComplexity } from './operation-cost.ts';

export type OperationRequest = {
  schema: GraphQLSchema;
  document: DocumentNode;
  contextValue: GraphqlContext;
  variableValues?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
};

type CheckedOperation = Pick<OperationRequest, 'schema' | 'document' | 'contextValue'> & {
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
};

/** Returns why the operation is refused, as the caller may see it. Unexpected errors are masked like all others. */
export async function checkOperation(world: World, request: OperationRequest): Promise<GraphQLError | undefined> {
  const context = request.contextValue;
  if (context.isChecked) return undefined;
  const facts = faultFacts(world, context.requestId);
  try {
    const operation = operationOf(request.document, request.operationName);
    if (!operation) return undefined;
    const checked = { ...request, operation, variables: request.variableValues ?? {} };
    const mayIntrospect = !world.config.isProduction || context.principal.kind === 'member';
    requireRootAccess(checked, { principal: context.principal, config: world.config, mayIntrospect });
    if (!context.ownDocument) requireReadScope(checked, context.principal);
    requireVariables(checked);
    if (!context.ownDocument) await takeCost(world, context, checked);
    // Another process may have moved the test clock since this process last read it or was notified.
    const { time } = world;
    if (time?.isMovable && (operation.operation === 'mutation' || !time.isListening()))
      await time.catchUp(world.database);
    context.isChecked = true;
    return undefined;
  } catch (error) {
    return formatFault(facts, error);
  }
}

function requireVariables(checked: CheckedOperation): void {
  const faults = variableFaults(checked.operation, checked.variables);
  if (faults.length === 0) return;
  throw variablesFault(checked, [...faults, ...allVariableFaults(checked.contextValue, checked)]);
}

async function takeCost(world: World, context: GraphqlContext, checked: CheckedOperation): Promise<void> {
  const complexity = complexityOf(context, checked);
  if (complexity === undefined) return;
  const limit = complexityLimit(world.config.graphql, context.principal);
  const tooComplex = overLimit({ complexity: { is: complexity, limit } });
  if (tooComplex) throw tooComplex;
  const units = extraUnits(complexity);
  const refusal = units > 0 ? await context.charge?.(units) : undefined;
  if (refusal !== undefined) throw refusal;
}

/** Returns undefined if variables do not match their types. Execution rejects these before any field and lists all of them. */
function complexityOf(context: GraphqlContext, checked: CheckedOperation): number | undefined {
  try {
    return operationComplexity(context, checked);
  } catch (error) {
    if (error instanceof Error && variableFault(error.message)) return undefined;
    throw error;
  }
}

/** Names the parameters by the variables of REST documents. The names of variables in clients' documents have no meaning in the schema. */
export function variablesFault(
  { contextValue, document }: Pick<OperationRequest, 'contextValue' | 'document'>,
  faults: FieldFault[],
): GatewayError {
  const named = contextValue.ownDocument ? faults : namedByArguments(document, faults);
  return joinFaults('The variables are not valid.', named);
}
