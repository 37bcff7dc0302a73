/** Which API request the present work follows from: one id from the request to its transaction and its webhook. */
import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/** Runs `work` as a consequence of that request; everything it awaits included. Without an id it runs as it is. */
export function traced<Answer>(requestId: string | null | undefined, work: () => Answer): Answer {
  return requestId ? traces.run(requestId, work) : work();
}

/** The request that the present work follows from; undefined for what nobody asked for. */
export function tracedRequestId(): string | undefined {
  return traces.getStore();
}
