/** What one request may cost. */
import type { Principal } from '../../../auth/principal.ts';
import { type GatewayError, invalid } from '../../../errors.ts';

/** The longest list or page. */
export const LIST_LIMIT = 100;
export const DEFAULT_PAGE_SIZE = 20;
/** Levels of selections, the root field's counted. */
export const DEPTH_LIMIT = 12;
/** Selected fields of a request, each alias counted. */
export const BREADTH_LIMIT = 400;
/** Lexical tokens of a document. */
export const TOKEN_LIMIT = 4000;
export const BODY_LIMIT_BYTES = 1024 * 1024;

const budgets = { full: 20_000, payer: 5_000, publishable: 2_000, anonymous: 2_000 };

export type Limits = { depth: number; breadth: number; complexity: number };

/** The limits of a caller: a key or a member of a merchant has ten times what anybody has; a wallet, which anybody makes, little more. */
export function limitsOf(principal: Principal): Limits {
  const publishable = principal.kind === 'apiKey' && principal.keyKind === 'PUBLISHABLE';
  const kind = principal.kind === 'anonymous' || principal.kind === 'payer' ? principal.kind : 'full';
  const complexity = publishable ? budgets.publishable : budgets[kind];
  return { depth: DEPTH_LIMIT, breadth: BREADTH_LIMIT, complexity };
}

type Cost = {
  depth: number;
  breadth: number;
  complexity: number;
  maxDepth?: number | undefined;
  maxBreadth?: number | undefined;
  maxComplexity?: number | undefined;
};

/** The refusal of a request that asks for too much, with both sides of each limit. */
export function tooCostly(cost: Cost): GatewayError {
  const faults = [
    { param: 'depth', is: cost.depth, limit: cost.maxDepth },
    { param: 'breadth', is: cost.breadth, limit: cost.maxBreadth },
    { param: 'complexity', is: cost.complexity, limit: cost.maxComplexity },
  ].flatMap(({ param, is, limit }) =>
    limit !== undefined && is > limit ? [{ param, message: `is ${is}, at most ${limit}` }] : [],
  );
  return invalid(faults);
}

/** Refuses a list size outside 1 to 100, naming the argument. */
export function demandListSize(sizes: Record<string, number | null | undefined>): void {
  const faults = Object.entries(sizes).flatMap(([param, size]) =>
    size !== null && size !== undefined && (size < 1 || size > LIST_LIMIT)
      ? [{ param, message: `is ${size}, from 1 to ${LIST_LIMIT}` }]
      : [],
  );
  if (faults.length > 0) throw invalid(faults);
}
