/** Limits for the cost of one request. The numbers are settings: see "Request limits" in docs/operations.md. */
import type { Principal } from '../../../auth/principal.ts';
import type { Config } from '../../../config/config.ts';
import { type FieldFault, type GatewayError, invalid } from '../../../errors.ts';

/** The longest list or page. */
export const LIST_LIMIT = 100;
export const DEFAULT_PAGE_SIZE = 20;
/** The complexity covered by each unit of the rate limit beyond the first. */
const COMPLEXITY_PER_UNIT = 500;

/** Returns the maximum size in bytes of a request's body and of its GraphQL document, for this caller. */
export function byteLimits(
  config: Pick<Config, 'bodies' | 'graphql'>,
  principal: Principal,
): { body: number; document: number } {
  const { bodies, graphql } = config;
  if (principal.kind === 'anonymous') return { body: bodies.keylessBytes, document: graphql.keylessDocumentBytes };
  return { body: bodies.bytes, document: graphql.documentBytes };
}

/** Returns the maximum complexity of an operation for this caller. Anyone can create a wallet, so the limit for payers is low. */
export function complexityLimit(graphql: Config['graphql'], principal: Principal): number {
  if (principal.kind === 'anonymous') return graphql.keylessComplexity;
  if (principal.kind === 'payer') return graphql.payerComplexity;
  const isPublishable = principal.kind === 'apiKey' && principal.keyKind === 'PUBLISHABLE';
  return isPublishable ? graphql.keylessComplexity : graphql.complexity;
}

/** Returns the units of the rate limit that an operation costs, in addition to the one for its request. */
export function extraUnits(complexity: number): number {
  return Math.floor(complexity / COMPLEXITY_PER_UNIT);
}

/** Returns the refusal of a document that exceeds limits, with the value and the limit for each, or undefined if there is none. */
export function overLimit(measured: Record<string, { is: number; limit: number }>): GatewayError | undefined {
  const faults: FieldFault[] = Object.entries(measured).flatMap(([param, { is, limit }]) =>
    is > limit ? [{ param, message: `is ${is}, at most ${limit}` }] : [],
  );
  return faults.length > 0 ? invalid(faults) : undefined;
}

/** Throws a VALIDATION_ERROR that names the argument, for a list size outside 1 to 100. */
export function requireListSize(sizes: Record<string, number | null | undefined>): void {
  const faults = sizeFaults(sizes);
  if (faults.length > 0) throw invalid(faults);
}

/** Returns the faults of list sizes outside 1 to 100, by their arguments. */
export function sizeFaults(sizes: Record<string, number | null | undefined>): FieldFault[] {
  return Object.entries(sizes).flatMap(([param, size]) =>
    size !== null && size !== undefined && (size < 1 || size > LIST_LIMIT)
      ? [{ param, message: `is ${size}, from 1 to ${LIST_LIMIT}` }]
      : [],
  );
}
