/**
 * A circuit breaker, closed at first. After `failures` failures in a row it is open: no call is made for `openMs`. Then one
 * call is let through; its success closes the breaker, its failure opens it again.
 */
export type BreakerSettings = { failures: number; openMs: number };

export type Breaker = {
  /** Whether a call may begin at this instant, in milliseconds. Each one that begins must end in `succeed` or `fail`. */
  begin(nowMs: number): boolean;
  succeed(): void;
  fail(nowMs: number): void;
  /** Closed again only by a call that succeeds. */
  isOpen(): boolean;
};

export function openBreaker({ failures, openMs }: BreakerSettings): Breaker {
  let inARow = 0;
  let openUntilMs: number | null = null;
  let isTrying = false;
  return {
    begin(nowMs) {
      if (openUntilMs === null) return true;
      if (isTrying || nowMs < openUntilMs) return false;
      isTrying = true;
      return true;
    },
    succeed() {
      // A call that began before the breaker opened proves nothing about now.
      if (openUntilMs !== null && !isTrying) return;
      inARow = 0;
      openUntilMs = null;
      isTrying = false;
    },
    fail(nowMs) {
      inARow += 1;
      if (openUntilMs !== null && !isTrying) return;
      if (openUntilMs === null && inARow < failures) return;
      openUntilMs = nowMs + openMs;
      isTrying = false;
    },
    isOpen: () => openUntilMs !== null,
  };
}
