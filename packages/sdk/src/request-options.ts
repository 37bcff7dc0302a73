/** What every method takes as its last argument. */
export type RequestOptions = {
  /** Ends the call, its retries and its waits. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For one attempt, the answer's body included. Defaults to the client's. */
  timeoutMs?: number;
  /** Retries after the first attempt. Defaults to the client's. */
  maxRetries?: number;
  /**
   * Of a write. By default a key is made for each call and kept over its retries. Give one of your own, such as the
   * order's number, so that a call repeated by a restarted process has its effect once.
   */
  idempotencyKey?: string;
  /** Further headers. */
  headers?: Record<string, string>;
};
