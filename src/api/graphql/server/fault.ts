/**
 * Everything that leaves as an error: `extensions { code, param, details, requestId, retryable, http { status } }`.
 * What Sluice throws on purpose keeps its words; a fault of the request is a VALIDATION_ERROR that names every bad
 * field; anything else is a bug, masked and logged with its request id.
 */
import { PothosValidationError } from '@pothos/core';
import { GraphQLError } from 'graphql';
import { type ErrorCode, type FieldFault, GatewayError, invalid } from '../../../errors.ts';
import { type DatabaseFault, databaseFault, unavailable } from '../../../platform/database/database-fault.ts';
import type { Log } from '../../../platform/log.ts';
import { variableFault } from './request-faults.ts';

const formatted = new WeakSet<object>();
/** Errors of fields that another service answers: its absence says nothing of ours, nor of the answer as a whole. */
const ofSources = new WeakSet<object>();

/** Refusals of a request as a whole, whose HTTP status is the answer's whatever media type is accepted. */
const answeredByStatus: ReadonlySet<ErrorCode> = new Set([
  'AUTHENTICATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'PAYLOAD_TOO_LARGE',
  'UNAVAILABLE',
]);

export type FaultFacts = {
  requestId: string;
  log: Log;
  /** Told of every error UNAVAILABLE that a caller is answered. */
  unavailable?: ((fault: DatabaseFault) => void) | undefined;
};

/** What `formatFault` needs of the world, for one request. */
export function faultFacts({ log, unavailable }: Omit<FaultFacts, 'requestId'>, requestId: string): FaultFacts {
  return { requestId, log, unavailable };
}

/** The error as the caller may see it. An error that went through here once stays as it is. */
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

/** As `formatFault`, for the HTTP layer, which makes the answer's status of its errors: one of a source changes nothing there. */
export function forStatus(error: GraphQLError): GraphQLError {
  return ofSources.has(error) ? new GraphQLError(error.message) : error;
}

/** What a caught error says on purpose, or undefined for a bug. */
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
    // A field of the answer that failed is a bug of ours; without a path it is the request's own fault.
    return error.path ? undefined : requestFault(error);
  }
  return error.path ? undefined : requestFault(error);
}

/**
 * Logs and counts an error UNAVAILABLE; one that was formatted before, as the pipeline's errors in REST, was counted then, and
 * one of a source where its call failed.
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

/** One VALIDATION_ERROR for all faults of a request. */
export function joinFaults(message: string, faults: FieldFault[]): GatewayError {
  const details = new Map<string, FieldFault>();
  for (const fault of faults) if (!details.has(fault.param)) details.set(fault.param, fault);
  return details.size === 0 ? new GatewayError('VALIDATION_ERROR', message) : invalid([...details.values()]);
}

/** A request that the server's own parser, validator or HTTP layer refused, by the status it chose. */
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
  // The compiler of REST documents makes errors without extensions.
  const http = error.extensions?.http;
  const status = typeof http === 'object' && http !== null && 'status' in http ? http.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * `spec` and `headers` are for the HTTP layer and stay out of what is printed. With `spec` a client that accepts
 * application/json gets 200, as GraphQL over HTTP asks for a request that was well-formed.
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
    'An error that nobody expected was masked.',
  );
  return new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause });
}
