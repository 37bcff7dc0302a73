/**
 * A circuit breaker, closed at first. After `failures` failures in a row it is open: no call is made for `openMs`. Then one
 * call, the probe, is let through; its success closes the breaker, its failure opens it again.
 */
export type BreakerSettings = { failures: number; openMs: number };

/** A call that began; it counts only while the breaker is in the state in which the call began. */
export type Attempt = number;

export type Breaker = {
  /**
   * An attempt where a call may begin at this instant, in milliseconds, else null. Each attempt must end in `succeed`, `fail` or
   * `abandon`.
   */
  begin(nowMs: number): Attempt | null;
  succeed(attempt: Attempt): void;
  fail(attempt: Attempt, nowMs: number): void;
  /** For a call that proved nothing; after an abandoned probe the next call is the probe. */
  abandon(attempt: Attempt): void;
  /** Closed again only by a call that succeeds. */
  isOpen(): boolean;
};

export function openBreaker({ failures, openMs }: BreakerSettings): Breaker {
  let inARow = 0;
  let openUntilMs: number | null = null;
  let isProbing = false;
  /** Changes with the state, so that a call which began in an earlier one is recognized. */
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
