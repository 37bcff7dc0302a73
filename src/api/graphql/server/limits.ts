/** What one request may cost. The numbers are settings: see "What a stranger can cost you" in docs/operations.md. */
import type { Principal } from '../../../auth/principal.ts';
import type { Config } from '../../../config/config.ts';
import { type FieldFault, type GatewayError, invalid } from '../../../errors.ts';

/** The longest list or page. */
export const LIST_LIMIT = 100;
export const DEFAULT_PAGE_SIZE = 20;
/** Complexity that one unit of the rate limit pays for beyond the first. */
const COMPLEXITY_PER_UNIT = 500;

/** Bytes of a request's body and of the text of its GraphQL document, for this caller. */
export function byteLimits(
  config: Pick<Config, 'bodies' | 'graphql'>,
  principal: Principal,
): { body: number; document: number } {
  const { bodies, graphql } = config;
  if (principal.kind === 'anonymous') return { body: bodies.keylessBytes, document: graphql.keylessDocumentBytes };
  return { body: bodies.bytes, document: graphql.documentBytes };
}

/** The most that one operation of this caller may cost. Anybody can make a wallet, so a payer may cost little more than a stranger. */
export function complexityLimit(graphql: Config['graphql'], principal: Principal): number {
  if (principal.kind === 'anonymous') return graphql.keylessComplexity;
  if (principal.kind === 'payer') return graphql.payerComplexity;
  const isPublishable = principal.kind === 'apiKey' && principal.keyKind === 'PUBLISHABLE';
  return isPublishable ? graphql.keylessComplexity : graphql.complexity;
}

/** Units of the rate limit that an operation costs beyond the one of its request. */
export function extraUnits(complexity: number): number {
  return Math.floor(complexity / COMPLEXITY_PER_UNIT);
}

/** The refusal of a document that asks for too much, with both sides of each limit; undefined when all hold. */
export function overLimit(measured: Record<string, { is: number; limit: number }>): GatewayError | undefined {
  const faults: FieldFault[] = Object.entries(measured).flatMap(([param, { is, limit }]) =>
    is > limit ? [{ param, message: `is ${is}, at most ${limit}` }] : [],
  );
  return faults.length > 0 ? invalid(faults) : undefined;
}

/** Refuses a list size outside 1 to 100, naming the argument. */
export function demandListSize(sizes: Record<string, number | null | undefined>): void {
  const faults = sizeFaults(sizes);
  if (faults.length > 0) throw invalid(faults);
}

/** The list sizes outside 1 to 100, by their arguments. */
export function sizeFaults(sizes: Record<string, number | null | undefined>): FieldFault[] {
  return Object.entries(sizes).flatMap(([param, size]) =>
    size !== null && size !== undefined && (size < 1 || size > LIST_LIMIT)
      ? [{ param, message: `is ${size}, from 1 to ${LIST_LIMIT}` }]
      : [],
  );
}
