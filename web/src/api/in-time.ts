/** Ends a request without a response: on a half-open connection, it would otherwise stay pending for minutes. */
const ANSWER_WITHIN_MS = 20_000;

/** The signal of a request that ends after 20 seconds, or earlier by the caller's own signal. `ask` then reports NETWORK. */
export function inTime(own?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
  if (!own) return limit;
  // Not AbortSignal.any, which the browsers of wallets on iOS have only since version 17.4.
  const either = new AbortController();
  for (const signal of [own, limit]) {
    signal.addEventListener('abort', () => either.abort(signal.reason), { once: true });
  }
  if (own.aborted) either.abort(own.reason);
  return either.signal;
}
