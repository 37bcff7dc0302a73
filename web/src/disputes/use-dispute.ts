import { useQuery } from '@tanstack/react-query';
import { DisputeOneDocument, type DisputeShownFragment } from '../../../generated/web/documents.ts';
import type { ApiError } from '../api/api-error.ts';
import { ask, type Credential } from '../api/ask.ts';

/** The other side and the chain can change the dispute at any time. */
const EVERY_MS = 15_000;

export function useDispute(disputeId: string, credential: Credential) {
  return useQuery<DisputeShownFragment, ApiError>({
    queryKey: [String(DisputeOneDocument), disputeId],
    queryFn: async ({ signal }) => (await ask(DisputeOneDocument, { id: disputeId }, { credential, signal })).dispute,
    refetchInterval: EVERY_MS,
  });
}
