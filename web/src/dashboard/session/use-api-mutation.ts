/**
 * A mutation of the dashboard:
 * `const { mutateAsync, isPending, error } = useApiMutation(Document, { changes: [ListDocument] })`. `changes` are the documents whose
 * results are outdated afterwards, and all documents if it is omitted. They are fetched again before the mutation ends. If the button is
 * pressed twice, or the call is repeated after a failure, the API receives the same request.
 */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import type { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { isRefused } from './member-session.ts';
import { sendOnce } from './send-once.ts';
import { questionKey } from './use-ask.ts';
import { useDashboard } from './use-dashboard.ts';

export function useApiMutation<Result, Variables extends object>(
  document: TypedDocumentString<Result, Variables>,
  { changes }: { changes?: readonly object[] } = {},
): UseMutationResult<Result, ApiError, Variables> {
  const { credential, failedCalls } = useDashboard();
  const client = useQueryClient();
  const underWay = useRef(new Map<string, Promise<Result>>());
  const readAgain = async () => {
    if (!changes) return await client.invalidateQueries();
    await Promise.all(changes.map((one) => client.invalidateQueries({ queryKey: questionKey(one) })));
  };
  const mutation = useMutation<Result, ApiError, Variables>({
    mutationFn: (variables) => {
      const asked = { document, variables, failed: failedCalls, underWay: underWay.current };
      return sendOnce(asked, async (idempotencyKey) => {
        const result = await ask(document, variables, { credential, idempotencyKey });
        await readAgain();
        return result;
      });
    },
    // The call may have been executed, or another person or the chain was faster, so the page fetches the current data.
    onError: (error) => {
      if (error.code !== 'VALIDATION_ERROR' && !isRefused(error)) void readAgain();
    },
  });
  // The login page has already shown that the login expired. The page behind it is shown again after a new login.
  const { error, reset } = mutation;
  useEffect(() => {
    if (isRefused(error)) reset();
  }, [error, reset]);
  return mutation;
}
