/**
 * A circuit breaker, initially closed. After `failures` consecutive failures it opens, and no call is made for `openMs`. Then it lets one
 * call through, the probe. If the probe succeeds, the breaker closes. If it fails, the breaker opens again.
 */
export type BreakerSettings = { failures: number; openMs: number };

/** A call in progress. Its result counts only while the breaker is still in the state in which the call began. */
export type Attempt = number;

export type Breaker = {
  /**
   * Returns an attempt if a call may begin at this time, in milliseconds, or null otherwise. Each attempt must end with `succeed`, `fail`
   * or `abandon`.
   */
  begin(nowMs: number): Attempt | null;
  succeed(attempt: Attempt): void;
  fail(attempt: Attempt, nowMs: number): void;
  /** For a call that proves nothing about the source. After an abandoned probe, the next call is the probe. */
  abandon(attempt: Attempt): void;
  /** Once open, only a successful call closes the breaker. */
  isOpen(): boolean;
};

export function openBreaker({ failures, openMs }: BreakerSettings): Breaker {
  let inARow = 0;
  let openUntilMs: number | null = null;
  let isProbing = false;
  /** Changes with the state, so that calls that began in an earlier state are recognized. */
  let current: Attempt = 0;

  function become(untilMs: number | null): void {
    openUntilMs = untilMs;
    isProbing = false;
    current += 1;
  }

  return {
    begin(nowMs) {
      if (openUntilMs === null) return current;
      if (isProbing || nowMs < openUntilMs) return null;
      isProbing = true;
      current += 1;
      return current;
    },
    succeed(attempt) {
      if (attempt !== current) return;
      inARow = 0;
      if (openUntilMs !== null) become(null);
    },
    fail(attempt, nowMs) {
      if (attempt !== current) return;
      inARow += 1;
      if (openUntilMs !== null || inARow >= failures) become(nowMs + openMs);
    },
    abandon(attempt) {
      if (attempt !== current || openUntilMs === null) return;
      become(openUntilMs);
    },
    isOpen: () => openUntilMs !== null,
  };
}
