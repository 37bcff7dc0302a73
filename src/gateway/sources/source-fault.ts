/**
 * Why a call to a source returned no value.
 *
 * - `timeout`: no complete response within `timeoutMs`, including the time in the queue.
 * - `away`: no connection, or it broke.
 * - `status`: 5xx, 401, 403, 408, 429, or another status below 300 that is neither 200 nor listed here.
 * - `redirect`: a redirect, which is not followed.
 * - `garbage`: not JSON, JSON that does not match the description, or GraphQL errors.
 * - `too-large`: more than `maxResponseBytes`, or a list of more than 100 entries.
 * - `rejected`: another 4xx. The request is at fault, not the source.
 * - `missing`: 404, 410, 204 or `null` from a REST source. The object does not exist, which is a valid result.
 * - `busy`: `maxQueue` calls are already waiting.
 * - `open`: the breaker is open, and the source is not called.
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

/**
 * Reasons for which the source is at fault. Consecutive faults of these kinds open its breaker, except for timeouts after a wait in the
 * queue.
 */
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

/** Returns the fault inside an executor's error, or undefined if there is none. */
export function sourceFaultIn(error: unknown): SourceFault | undefined {
  if (error instanceof SourceFault) return error;
  if (!(error instanceof Error)) return undefined;
  const inner = 'originalError' in error ? error.originalError : undefined;
  return sourceFaultIn(inner ?? error.cause);
}
