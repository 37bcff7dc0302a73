/**
 * A mutation of the dashboard: `const { mutateAsync, isPending, error } = useTell(Document, { changes: [ListDocument] })`.
 * `changes` are the documents whose answers are old afterwards; all, when none is named. One key of idempotency a press:
 * what is tried again by react-query is the same call.
 */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import type { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { questionKey } from './use-ask.ts';
import { useDashboard } from './use-dashboard.ts';

const keys = new WeakMap<object, string>();

export function useTell<Result, Variables extends object>(
  document: TypedDocumentString<Result, Variables>,
  { changes }: { changes?: readonly object[] } = {},
): UseMutationResult<Result, ApiError, Variables> {
  const { credential } = useDashboard();
  const client = useQueryClient();
  return useMutation<Result, ApiError, Variables>({
    mutationFn: (variables) => {
      const idempotencyKey = keys.get(variables) ?? crypto.randomUUID();
      keys.set(variables, idempotencyKey);
      return ask(document, variables, { credential, idempotencyKey });
    },
    onSuccess: async () => {
      if (!changes) return await client.invalidateQueries();
      await Promise.all(changes.map((one) => client.invalidateQueries({ queryKey: questionKey(one) })));
    },
  });
}
