/**
 * Formats all errors that are returned: `extensions { code, param, details, requestId, retryable, http { status } }`. Errors that Sluice
 * throws deliberately keep their messages. A fault of the request is a VALIDATION_ERROR that names every invalid field. All other errors
 * are bugs, which are masked and logged with the request id.
 */
import { PothosValidationError } from '@pothos/core';
import { GraphQLError } from 'graphql';
import { type ErrorCode, type FieldFault, GatewayError, invalid } from '../../../errors.ts';
import { type DatabaseFault, databaseFault, unavailable } from '../../../platform/database/database-fault.ts';
import type { Log } from '../../../platform/log.ts';
import { variableFault } from './request-faults.ts';

const formatted = new WeakSet<object>();
/** Errors of fields that another service resolves. They affect neither the status of the response nor the health of the API. */
const ofSources = new WeakSet<object>();

/** Refusals of a whole request. Their HTTP status is that of the response, regardless of the accepted media type. */
const answeredByStatus: ReadonlySet<ErrorCode> = new Set([
  'AUTHENTICATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'PAYLOAD_TOO_LARGE',
  'UNAVAILABLE',
]);

export type FaultFacts = {
  requestId: string;
  log: Log;
  /** Called for every UNAVAILABLE error that is returned to a caller. */
  unavailable?: ((fault: DatabaseFault) => void) | undefined;
};

/** Returns what `formatFault` needs for one request. */
export function faultFacts({ log, unavailable }: Omit<FaultFacts, 'requestId'>, requestId: string): FaultFacts {
  return { requestId, log, unavailable };
}

/** Formats an error for the caller. An error that is already formatted stays unchanged. */
export function formatFault(facts: FaultFacts, error: unknown): GraphQLError {
  if (error instanceof GraphQLError && formatted.has(error)) return error;
  const graphqlError = error instanceof GraphQLError ? error : undefined;
  const fault = gatewayErrorOf(error) ?? masked(facts, error);
  noteUnavailable(facts, fault);
  const made = new GraphQLError(fault.message, {
    nodes: graphqlError?.nodes,
    source: graphqlError?.source,
    positions: graphqlError?.positions,
    path: graphqlError?.path,
    extensions: {
      code: fault.code,
      ...(fault.param === undefined ? {} : { param: fault.param }),
      ...(fault.details === undefined ? {} : { details: fault.details }),
      requestId: facts.requestId,
      retryable: fault.retryable,
      ...(fault.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: fault.retryAfterSeconds }),
      http: httpOf(fault, graphqlError),
    },
  });
  formatted.add(made);
  if (fault.meta?.source !== undefined) ofSources.add(made);
  return made;
}

/** Does the same for the HTTP layer, which derives the status of the response from its errors. An error of a source does not affect it. */
export function forStatus(error: GraphQLError): GraphQLError {
  return ofSources.has(error) ? new GraphQLError(error.message) : error;
}

/** Returns the deliberate error behind a caught error, or undefined for a bug. */
export function gatewayErrorOf(error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return error;
  if (error instanceof PothosValidationError) return new GatewayError('VALIDATION_ERROR', error.message);
  if (!(error instanceof GraphQLError)) {
    const fault = databaseFault(error);
    return fault && unavailable(fault, error);
  }
  if (error.originalError) {
    const deeper = gatewayErrorOf(error.originalError);
    if (deeper) return deeper;
    // An error with a path is a bug in a resolver. Without a path, it is a fault of the request.
    return error.path ? undefined : requestFault(error);
  }
  return error.path ? undefined : requestFault(error);
}

/**
 * Logs and counts an UNAVAILABLE error. An error that is already formatted, such as those of the pipeline in REST, has been counted, and so
 * has an error of a source when its call failed.
 */
export function noteUnavailable(facts: FaultFacts, fault: GatewayError): void {
  if (fault.meta?.source !== undefined) return;
  if (fault.code !== 'UNAVAILABLE' || (fault.cause instanceof GraphQLError && formatted.has(fault.cause))) return;
  facts.log.warn({ requestId: facts.requestId, err: fault.cause }, fault.message);
  facts.unavailable?.(faultOf(fault));
}

function faultOf({ meta, cause }: GatewayError): DatabaseFault {
  return databaseFault(cause) ?? (meta?.fault === 'busy' ? 'busy' : 'away');
}

/** Creates one VALIDATION_ERROR for all faults of a request. */
export function joinFaults(message: string, faults: FieldFault[]): GatewayError {
  const details = new Map<string, FieldFault>();
  for (const fault of faults) if (!details.has(fault.param)) details.set(fault.param, fault);
  return details.size === 0 ? new GatewayError('VALIDATION_ERROR', message) : invalid([...details.values()]);
}

/** Converts a refusal of the server's parser, validator or HTTP layer, by its status. */
function requestFault(error: GraphQLError): GatewayError {
  switch (statusOf(error)) {
    case 405:
      return new GatewayError('METHOD_NOT_ALLOWED', error.message);
    case 413:
      return new GatewayError('PAYLOAD_TOO_LARGE', error.message);
    case 415:
      return new GatewayError('UNSUPPORTED_MEDIA_TYPE', error.message);
    default: {
      const fault = variableFault(error.message);
      return new GatewayError('VALIDATION_ERROR', error.message, fault ? { details: [fault] } : {});
    }
  }
}

function statusOf(error: GraphQLError): number | undefined {
  // Errors of the compiler for REST documents have no extensions.
  const http = error.extensions?.http;
  const status = typeof http === 'object' && http !== null && 'status' in http ? http.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * `spec` and `headers` are for the HTTP layer and are not printed. With `spec`, a client that accepts application/json receives 200, as
 * GraphQL over HTTP requires for a well-formed request.
 */
function httpOf(fault: GatewayError, error: GraphQLError | undefined): { status: number } {
  const http = { status: fault.status };
  const refusedByHttp = error !== undefined && statusOf(error) !== undefined && !error.positions && !error.path;
  const spec = !refusedByHttp && !answeredByStatus.has(fault.code);
  Object.defineProperty(http, 'spec', { value: spec });
  if (fault.retryAfterSeconds !== undefined) {
    Object.defineProperty(http, 'headers', { value: { 'retry-after': String(Math.ceil(fault.retryAfterSeconds)) } });
  }
  return http;
}

function masked(facts: FaultFacts, error: unknown): GatewayError {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  facts.log.error(
    { requestId: facts.requestId, path: error instanceof GraphQLError ? error.path : undefined, err: cause },
    'An unexpected error was masked.',
  );
  return new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause });
}
