/** The last argument of every method. */
export type RequestOptions = {
  /** Aborts the call and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Timeout of one attempt, including the response body. Defaults to the client's. */
  timeoutMs?: number;
  /** Retries after the first attempt. Defaults to the client's. */
  maxRetries?: number;
  /**
   * The idempotency key of a write. By default a key is generated for each call and reused for its retries. Pass your own, such
   * as the order number, so that a call repeated by a restarted process takes effect only once.
   */
  idempotencyKey?: string;
  /** Additional headers. */
  headers?: Record<string, string>;
};
