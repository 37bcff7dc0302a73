/**
 * Why a call of a source gave no value.
 *
 * - `timeout`: no whole answer within `timeoutMs`, the time in the queue included.
 * - `away`: no connection, or it broke.
 * - `status`: 5xx, 401, 403, 408 or 429.
 * - `redirect`: an answer that leads elsewhere; it is not followed.
 * - `garbage`: no JSON, JSON that does not fit the description, or errors of GraphQL.
 * - `too-large`: more than `maxResponseBytes`, or a list of more than 100.
 * - `rejected`: another 4xx: what was asked for is wrong, the source is not.
 * - `missing`: 404, 410 or `null`: there is no such object, which is an answer.
 * - `busy`: `maxQueue` calls wait already.
 * - `open`: the breaker is open; the source is not asked.
 */
export const sourceReasons = [
  'timeout',
  'away',
  'status',
  'redirect',
  'garbage',
  'too-large',
  'rejected',
  'missing',
  'busy',
  'open',
] as const;
export type SourceReason = (typeof sourceReasons)[number];

/** Reasons that the source is at fault for: so many in a row open its breaker, except for timeouts after a wait in the queue. */
const failures: ReadonlySet<SourceReason> = new Set(['timeout', 'away', 'status', 'redirect', 'garbage', 'too-large']);

export class SourceFault extends Error {
  override readonly name = 'SourceFault';
  readonly reason: SourceReason;

  constructor(reason: SourceReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }

  get isFailure(): boolean {
    return failures.has(this.reason);
  }
}

/** The fault inside an error of an executor; undefined where there is none. */
export function sourceFaultIn(error: unknown): SourceFault | undefined {
  if (error instanceof SourceFault) return error;
  if (!(error instanceof Error)) return undefined;
  const inner = 'originalError' in error ? error.originalError : undefined;
  return sourceFaultIn(inner ?? error.cause);
}
