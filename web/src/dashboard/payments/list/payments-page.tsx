/** The list of payments: filtered by the URL, updated live, and exported with the same filters. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { PaymentsCountDocument } from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { Button } from '../../../ui/button/button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import { PageFrame } from '../../shell/page-frame.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NoPayments } from './no-payments.tsx';
import { filterOf, hasFilters, noFilters, type PaymentFilters, printFilters, readFilters } from './payment-filters.ts';
import { PaymentsGrid } from './payments-grid.tsx';
import styles from './payments-list.module.css';
import { usePaymentsList } from './use-payments-list.ts';

export function PaymentsPage() {
  const { app } = useDashboard();
  return <PaymentsOf key={app.id} appId={app.id} />;
}

function PaymentsOf({ appId }: { appId: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const search = useSearch();
  const filters = useMemo(() => readFilters(search), [search]);
  const change = useCallback(
    (next: PaymentFilters) => {
      const address = printFilters(next);
      navigate(address === '' ? '/payments' : `/payments?${address}`, { replace: true });
    },
    [navigate],
  );
  const open = useCallback((id: string) => navigate(`/payments/${id}`), [navigate]);
  const { query, rows, head, showWaiting } = usePaymentsList(filters, appId);
  const more = useCallback(() => void query.fetchNextPage(), [query.fetchNextPage]);
  const waiting = head.waiting.length;
  // In an empty list, there are no rows that could move.
  const isFirst = waiting > 0 && query.isSuccess && rows.length === 0;
  useEffect(() => {
    if (isFirst) showWaiting();
  }, [isFirst, showWaiting]);
  return (
    <PageFrame
      title={t('payments.title')}
      beside={<Count filters={filters} appId={appId} />}
      actions={<ExportButton filters={filters} appId={appId} isDisabled={rows.length === 0} />}
    >
      <FilterBar filters={filters} onChange={change} />
      {query.isError && rows.length === 0 && <ErrorNote error={query.error} retry={() => query.refetch()} />}
      {query.isPending && <Skeleton lines={10} />}
      {query.isSuccess && rows.length === 0 && (
        <NoPayments isNarrowed={hasFilters(filters)} onClear={() => change(noFilters)} />
      )}
      {rows.length > 0 && (
        <div className={styles.list}>
          <div aria-live="polite" className={styles.fresh}>
            {waiting > 0 && (
              <Button size="small" icon="plus" onPress={showWaiting}>
                {t('payments.list.fresh', { count: waiting })}
              </Button>
            )}
          </div>
          <PaymentsGrid
            rows={rows}
            changed={head.changed}
            hasMore={query.hasNextPage}
            isReadingMore={query.isFetchingNextPage || query.isFetchNextPageError}
            onMore={more}
            onOpen={open}
          />
          <div className={styles.foot} aria-live="polite">
            {query.isFetchingNextPage && t('payments.list.readingMore')}
            {query.isFetchNextPageError && <ErrorNote error={query.error} retry={() => query.fetchNextPage()} />}
          </div>
        </div>
      )}
    </PageFrame>
  );
}

/** Counting a hundred thousand rows takes longer than fetching the first ones, so the list does not wait for the count. */
function Count({ filters, appId }: { filters: PaymentFilters; appId: string }) {
  const { t } = useTranslation();
  const { credential } = useDashboard();
  const formats = useFormats();
  const { data } = useQuery({
    queryKey: ['payments-count', appId, printFilters(filters)],
    queryFn: ({ signal }) => ask(PaymentsCountDocument, { filter: filterOf(filters, appId) }, { credential, signal }),
  });
  const count = data?.paymentIntents.totalCount;
  return (
    <span className={styles.count}>
      {count != null && t('payments.list.count', { count, figure: formats.count(count) })}
    </span>
  );
}
