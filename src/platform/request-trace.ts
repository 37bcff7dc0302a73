/** The API request that caused the current work: one id from the request to its transaction and its webhook. */
import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/** Runs `work`, including everything it awaits, on behalf of that request. Without an id it runs unchanged. */
export function traced<Answer>(requestId: string | null | undefined, work: () => Answer): Answer {
  return requestId ? traces.run(requestId, work) : work();
}

/** The id of the request that caused the current work; undefined if there is none. */
export function tracedRequestId(): string | undefined {
  return traces.getStore();
}
