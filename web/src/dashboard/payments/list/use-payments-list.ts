/** The rows of the list, fetched page by page as the viewer scrolls, and updated live. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  type PaymentRowFragment,
  PaymentsFollowedDocument,
  PaymentsListDocument,
  type PaymentsListQuery,
} from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { emptyHead, type LiveHead, takeRow } from './live-head.ts';
import { filterOf, type PaymentFilters, printFilters } from './payment-filters.ts';

/** The page size is limited, because a hundred of these rows exceed the cost limit of a request. */
const PAGE_SIZE = 50;

export function usePaymentsList(filters: PaymentFilters, appId: string) {
  const { credential } = useDashboard();
  const queryClient = useQueryClient();
  const address = printFilters(filters);
  const key = useMemo(() => ['payments', appId, address], [appId, address]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      ask(
        PaymentsListDocument,
        { filter: filterOf(filters, appId), after: pageParam, first: PAGE_SIZE },
        { credential, signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ paymentIntents: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    // Comparing a hundred thousand rows with their previous versions after each page takes longer than rendering them.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const rows = useMemo(
    () => query.data?.pages.flatMap(({ paymentIntents }) => paymentIntents.nodes) ?? [],
    [query.data],
  );
  const { head, clear } = useLiveHead(filters, { appId, newest: query.data && (rows[0]?.id ?? '') });

  /** Inserts the new rows that were held back above the list. */
  const showWaiting = useCallback(() => {
    queryClient.setQueryData<InfiniteData<PaymentsListQuery>>(key, (data) => {
      const [first, ...others] = data?.pages ?? [];
      if (!data || !first) return data;
      const nodes = [...head.waiting, ...first.paymentIntents.nodes];
      return { ...data, pages: [{ paymentIntents: { ...first.paymentIntents, nodes } }, ...others] };
    });
    clear();
  }, [queryClient, key, head, clear]);

  return { query, rows, head, showWaiting };
}

/** `newest` is undefined until the list is fetched. */
function useLiveHead(filters: PaymentFilters, { appId, newest }: { appId: string; newest: string | undefined }) {
  const { live } = useDashboard();
  const [head, setHead] = useState<LiveHead<PaymentRowFragment>>(emptyHead);
  const first = useRef('');
  first.current = newest ?? '';
  const isRead = newest !== undefined;
  useEffect(() => {
    if (!isRead) return;
    // The status and the flags are checked here, so that a visible row is still updated when it no longer matches the filter.
    const { status, flags, search, ...rest } = filters;
    const fits = (row: PaymentRowFragment) =>
      search === '' &&
      (status.length === 0 || status.includes(row.status)) &&
      (flags.length === 0 || flags.some((flag) => row.flags.includes(flag)));
    const filter = filterOf({ ...rest, status: [], flags: [], search: '' }, appId);
    setHead(emptyHead());
    return live.follow(
      PaymentsFollowedDocument,
      { filter },
      {
        next: ({ paymentIntentsUpdated: row }) =>
          setHead((before) => takeRow(before, row, { newest: first.current, fits })),
        failed: () => {},
      },
    );
  }, [live, filters, appId, isRead]);
  const clear = useCallback(() => setHead(({ changed }) => ({ waiting: [], changed })), []);
  return { head, clear };
}
