/** Files of a dispute, which have their own routes in addition to GraphQL. */
import { ApiError, networkFault } from './api-error.ts';
import type { Credential } from './ask.ts';

/** The limit of the API. The page rejects larger files before it sends them. */
export const FILE_BYTES = 10 * 1024 * 1024;
export const FILE_TYPES = '.pdf,.png,.jpg,.jpeg,.webp,.gif,application/pdf,image/png,image/jpeg,image/webp,image/gif';

type Access = { disputeId: string; credential: Credential };

/** A repeated upload with the same `idempotencyKey` does not add another file. */
export async function uploadDisputeFile(
  { disputeId, credential }: Access,
  { file, idempotencyKey }: { file: File; idempotencyKey: string },
): Promise<void> {
  const response = await fetch(`/disputes/${disputeId}/files?name=${encodeURIComponent(file.name.slice(-255))}`, {
    method: 'POST',
    headers: { ...credential, 'idempotency-key': idempotencyKey },
    body: file,
  }).catch((cause: unknown) => {
    throw networkFault(cause);
  });
  if (!response.ok) throw await faultOf(response);
}

export async function downloadDisputeFile({ disputeId, credential }: Access, fileId: string): Promise<Blob> {
  const response = await fetch(`/disputes/${disputeId}/files/${fileId}`, { headers: credential }).catch(
    (cause: unknown) => {
      throw networkFault(cause);
    },
  );
  if (!response.ok) throw await faultOf(response);
  return await response.blob();
}

async function faultOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  try {
    const { error } = await response.json();
    return new ApiError({ ...error, requestId });
  } catch (cause) {
    return networkFault(cause, requestId);
  }
}
