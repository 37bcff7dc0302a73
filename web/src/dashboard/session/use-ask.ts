/** A query of the dashboard, cached and shared by react-query: `const { data, error, isPending } = useAsk(Document, {…})`. */
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import type { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { useDashboard } from './use-dashboard.ts';

type Asking = {
  isEnabled?: boolean;
  /** Shows the previous data while the next is loading, for example for another page or filter. */
  keepsLast?: boolean;
  everyMs?: number;
};

export function useAsk<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { isEnabled = true, keepsLast = false, everyMs }: Asking = {},
): UseQueryResult<Result, ApiError> {
  const { credential } = useDashboard();
  return useQuery<Result, ApiError>({
    queryKey: questionKey(document, variables),
    queryFn: ({ signal }) => ask(document, variables, { credential, signal }),
    enabled: isEnabled,
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  });
}

/** The key to invalidate all results of a document, or those with the same variables. */
export function questionKey(document: TypedDocumentString<never, never> | object, variables?: unknown): unknown[] {
  return variables === undefined ? [String(document)] : [String(document), variables];
}
