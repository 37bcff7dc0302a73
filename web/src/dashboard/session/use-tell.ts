/**
 * A mutation of the dashboard: `const { mutateAsync, isPending, error } = useTell(Document, { changes: [ListDocument] })`.
 * `changes` are the documents whose answers are old afterwards; all, when none is named. They are asked again before the
 * mutation ends. Pressed twice, or tried again after a failure, it is the same request to the API.
 */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import type { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { sendOnce } from './send-once.ts';
import { questionKey } from './use-ask.ts';
import { useDashboard } from './use-dashboard.ts';

export function useTell<Result, Variables extends object>(
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
  return useMutation<Result, ApiError, Variables>({
    mutationFn: (variables) => {
      const asked = { document, variables, failed: failedCalls, underWay: underWay.current };
      return sendOnce(asked, async (idempotencyKey) => {
        const result = await ask(document, variables, { credential, idempotencyKey });
        await readAgain();
        return result;
      });
    },
    // It may have been done all the same, or another person or the chain was faster: the page shows what is.
    onError: ({ code }) => {
      if (code !== 'VALIDATION_ERROR') void readAgain();
    },
  });
}
