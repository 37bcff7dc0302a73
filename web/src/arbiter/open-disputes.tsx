/** Open disputes of all merchants, earliest deadline first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ArbiterListDocument, type ArbiterListQuery } from '../../../generated/web/documents.ts';
import { ask, type Credential } from '../api/ask.ts';
import { Deadline } from '../disputes/deadline.tsx';
import { Amount } from '../ui/amounts/amount.tsx';
import { Button } from '../ui/button/button.tsx';
import { Empty } from '../ui/state/empty.tsx';
import { ErrorNote } from '../ui/state/error-note.tsx';
import { Time } from '../ui/state/time.tsx';
import { type Column, Table } from '../ui/tables/table.tsx';
import styles from './arbiter.module.css';

const EVERY_MS = 30_000;

type Row = ArbiterListQuery['disputesPage']['items'][number];

export function OpenDisputes({ credential, open }: { credential: Credential; open: (id: string) => void }) {
  const { t } = useTranslation();
  const query = useInfiniteQuery({
    queryKey: [String(ArbiterListDocument)],
    queryFn: ({ pageParam, signal }) => ask(ArbiterListDocument, { page: pageParam }, { credential, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ disputesPage: { totalPages } }, _all, page) => (page < totalPages ? page + 1 : undefined),
    refetchInterval: EVERY_MS,
  });
  const rows = query.data?.pages.flatMap(({ disputesPage }) => disputesPage.items) ?? [];
  const columns: Column<Row>[] = [
    { key: 'deadline', head: t('disputes.columns.deadline'), cell: ({ deadline }) => <Deadline at={deadline} /> },
    { key: 'payment', head: t('disputes.columns.payment'), cell: ({ payment }) => <Amount fiat={payment} /> },
    { key: 'to', head: t('disputes.to'), isWide: true, cell: ({ payment }) => payment.appName },
    { key: 'reason', head: t('disputes.columns.reason'), isWide: true, cell: ({ reason }) => reason },
    {
      key: 'opened',
      head: t('disputes.columns.opened'),
      isWide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
  return (
    <>
      <h1>{t('disputes.arbiter.list')}</h1>
      <ErrorNote error={query.error} retry={() => query.refetch()} />
      {query.isSuccess && rows.length === 0 ? (
        <Empty title={t('disputes.arbiter.none')}>{t('disputes.arbiter.noneMore')}</Empty>
      ) : (
        <Table<Row>
          caption={t('disputes.arbiter.list')}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/arbiter/${id}`}
          open={(href) => open(href.replace('/arbiter/', ''))}
          isLoading={query.isPending}
        />
      )}
      {query.hasNextPage && (
        <div className={styles.buttons}>
          <Button onPress={() => query.fetchNextPage()}>{t('disputes.arbiter.more')}</Button>
        </div>
      )}
    </>
  );
}
