/** One GraphQL request. */
import type { TypedDocumentString } from '../../../generated/web/documents.ts';
import { noteServerTime } from '../ui/formats/server-clock.ts';
import { ApiError, networkFault, printedFault } from './api-error.ts';

/** The headers that are sent with every request: `x-client-secret` of a session, or `authorization` of a member or a wallet. */
export type Credential = Readonly<Record<string, string>>;

export type Asked = { credential?: Credential; signal?: AbortSignal; idempotencyKey?: string };

/**
 * Throws ApiError: with the API's code and request id, or NETWORK if there was no response. A mutation that may be repeated has the same
 * `idempotencyKey` each time.
 */
export async function ask<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { credential = {}, signal, idempotencyKey }: Asked = {},
): Promise<Result> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      ...credential,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ query: document.toString(), variables }),
    ...(signal ? { signal } : {}),
  }).catch((cause: unknown) => {
    if (signal?.aborted && !isTimeout(signal.reason)) throw cause;
    throw networkFault(cause);
  });
  noteServerTime(response.headers.get('sluice-time'));
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body: { data?: Result | null; errors?: unknown[] } = await response.json().catch((cause: unknown) => {
    throw networkFault(cause, requestId);
  });
  if (body.errors?.length) throw printedFault(body.errors, requestId);
  if (body.data === null || body.data === undefined) {
    throw new ApiError({ code: 'NETWORK', message: 'The answer was empty.', requestId, retryable: true });
  }
  return body.data;
}

/** The error of `AbortSignal.timeout`: the caller did not abort it, but there was no response in time. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
