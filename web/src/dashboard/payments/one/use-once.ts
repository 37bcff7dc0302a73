/** One mutation of one dialogue: pressed twice or tried again it is the same request to the API. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { TypedDocumentString } from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';

/**
 * The idempotency key is made when the dialogue opens and kept while what is asked for stays the same; other variables are
 * another request. `onDone` is told the answer once the payment has been read again.
 */
export function useOnce<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  { paymentId, onDone }: { paymentId: string; onDone: (result: Result) => void },
) {
  const { credential } = useDashboard();
  const queryClient = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: (variables: Variables) => {
      const asked = JSON.stringify(variables);
      const idempotencyKey = keys.current.get(asked) ?? crypto.randomUUID();
      keys.current.set(asked, idempotencyKey);
      return ask(document, variables, { credential, idempotencyKey });
    },
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: ['payment', paymentId] });
      onDone(result);
    },
    // Another person or the chain may have been faster: the page shows what is.
    onError: () => queryClient.invalidateQueries({ queryKey: ['payment', paymentId] }),
  });
}
