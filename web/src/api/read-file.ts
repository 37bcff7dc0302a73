/** Downloads a file of the API with the caller's credential. */
import { ApiError, networkFault } from './api-error.ts';
import type { Credential } from './ask.ts';

/** Returns the complete file. An incomplete download is an error. */
export async function readFile(path: string, asked: { credential: Credential; signal: AbortSignal }): Promise<Blob> {
  const request = { headers: asked.credential, signal: asked.signal };
  const response = await fetch(path, request).catch((cause: unknown) => {
    throw networkFault(cause);
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (response.ok) {
    return await response.blob().catch((cause: unknown) => {
      throw networkFault(cause, requestId);
    });
  }
  const body: unknown = await response.json().catch(() => undefined);
  const error = typeof body === 'object' && body !== null && 'error' in body ? Object(body.error) : {};
  throw new ApiError({
    code: String(error.code ?? 'INTERNAL_ERROR'),
    message: String(error.message ?? 'Something failed.'),
    requestId,
  });
}
