import type { ExecutionResult, GraphQLError } from 'graphql';
import { type ErrorCode, errorCatalogue, type FieldFault, GatewayError } from '../../errors.ts';
import { traced } from '../../platform/request-trace.ts';
import type { Admission } from '../gate.ts';
import { contextOf } from '../graphql/server/context.ts';
import { joinFaults } from '../graphql/server/fault.ts';
import { operationOf, ruleFaults, variableFaults } from '../graphql/server/request-faults.ts';
import type { World } from '../graphql/server/world.ts';
import type { GatewayYoga } from '../graphql/server/yoga.ts';
import { type RequestValues, type RouteVariable, readVariables } from './read-variables.ts';
import type { RestRoute } from './rest-route.ts';

export type RunningRoute = { route: RestRoute; variables: readonly RouteVariable[] };

/**
 * Runs a route's document in the GraphQL pipeline. A VALIDATION_ERROR lists all faults of types and rules at once. All other errors are
 * those of the pipeline.
 */
export async function runRoute(
  { world, yoga }: { world: World; yoga: Pick<GatewayYoga, 'getEnveloped'> },
  { running, admission, values }: { running: RunningRoute; admission: Admission; values: RequestValues },
): Promise<{ data: unknown; replayed: boolean }> {
  const { requestId } = admission;
  const context = { ...contextOf(world, admission.principal, admission), ownDocument: true };
  // The pipeline would create its context from a fetch Request, but this caller is already authenticated.
  const { execute, schema } = yoga.getEnveloped(context);
  const { document } = running.route;
  const { variables, faults: typeFaults } = readVariables(running.variables, values);
  const operation = operationOf(document, undefined);
  const faults = [...typeFaults, ...(operation ? variableFaults(operation, variables) : [])];
  if (faults.length > 0) {
    throw joinFaults('The request is not valid.', [...faults, ...ruleFaults(context, { schema, document, variables })]);
  }
  const result: ExecutionResult = await traced(requestId, () =>
    execute({ schema, document, variableValues: variables, contextValue: context }),
  );
  if (result.errors?.length) throw errorOf(result.errors);
  return { data: result.data?.data, replayed: context.answer.replayed };
}

/** Returns the most severe of the pipeline's errors, which are already formatted. */
function errorOf(errors: readonly GraphQLError[]): GatewayError {
  const found = errors.map(readError);
  return found.find((error) => error.code === 'INTERNAL_ERROR') ?? found[0] ?? internal();
}

function readError(error: GraphQLError): GatewayError {
  const { code, param, details, retryAfterSeconds } = error.extensions;
  if (!isErrorCode(code)) return internal(error);
  return new GatewayError(code, error.message, {
    ...(typeof param === 'string' ? { param } : {}),
    ...(isFaults(details) ? { details } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    cause: error,
  });
}

function internal(cause?: unknown): GatewayError {
  return new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}

function isFaults(details: unknown): details is FieldFault[] {
  return Array.isArray(details);
}
