/** A list that is fetched page by page with cursors: the rows so far, and a function that fetches the next page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import type { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { questionKey } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';

export type Connection<Row> = {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
};

export function useAskPages<Result, Variables extends { after?: string | null }, Row>(
  document: TypedDocumentString<Result, Variables>,
  variables: Omit<Variables, 'after'>,
  connectionOf: (result: Result) => Connection<Row>,
  { isReadWhenOpened = false }: { isReadWhenOpened?: boolean } = {},
) {
  const { credential } = useDashboard();
  const pages = useInfiniteQuery<Result, ApiError, { pages: Result[] }, unknown[], string | null>({
    queryKey: [...questionKey(document, variables), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      ask(document, { ...variables, after: pageParam } as Variables, { credential, signal }),
    ...(isReadWhenOpened ? { refetchOnMount: 'always' as const } : {}),
    initialPageParam: null,
    getNextPageParam: (last) => {
      const { hasNextPage, endCursor } = connectionOf(last).pageInfo;
      return hasNextPage ? (endCursor ?? null) : null;
    },
  });
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = pages;
  return {
    rows: data?.pages.flatMap((page) => connectionOf(page).nodes) ?? [],
    error,
    isLoading: isPending,
    hasMore: hasNextPage,
    loadMore: fetchNextPage,
    isLoadingMore: isFetchingNextPage,
    retry: refetch,
  };
}
