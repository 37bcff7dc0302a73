/** The customers of the app, newest first, with a search. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { CustomersListDocument, type CustomersListQuery } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Empty } from '../../ui/state/empty.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Time } from '../../ui/state/time.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { CustomerDialog } from './customer-dialog.tsx';
import styles from './customers.module.css';

const PAGE_SIZE = 50;
const TYPING_MS = 300;
const SEARCH_LENGTH = 255;

type Row = CustomersListQuery['customers']['nodes'][number];

export function CustomersPage() {
  const { t } = useTranslation();
  const { app, credential, mayWrite } = useDashboard();
  const [, navigate] = useLocation();
  const search = (new URLSearchParams(useSearch()).get('search') ?? '').slice(0, SEARCH_LENGTH);
  const [isMaking, setMaking] = useState(false);
  const columns = useColumns();
  const query = useInfiniteQuery({
    queryKey: [String(CustomersListDocument), app.id, search],
    queryFn: ({ pageParam, signal }) =>
      ask(
        CustomersListDocument,
        { appId: app.id, search: search || null, after: pageParam, first: PAGE_SIZE },
        { credential, signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ customers: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });
  const rows = query.data?.pages.flatMap(({ customers }) => customers.nodes) ?? [];
  const find = (text: string) =>
    navigate(text === '' ? '/customers' : `/customers?${new URLSearchParams({ search: text })}`, { replace: true });
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
      {t('customers.new')}
    </Button>
  );
  // The empty list then contains the button, and there is nothing to search.
  const isEmpty = query.isSuccess && rows.length === 0 && search === '';
  return (
    <PageFrame title={t('customers.title')} actions={!isEmpty && create}>
      {!isEmpty && (
        <search className={styles.search}>
          <Search text={search} onFind={find} />
        </search>
      )}
      <ErrorNote error={query.error} retry={() => query.refetch()} />
      {query.isSuccess && rows.length === 0 ? (
        <Empty title={isEmpty ? t('customers.none') : t('customers.notFound', { search })} actions={isEmpty && create}>
          {isEmpty ? t('customers.noneMore') : t('customers.notFoundMore')}
        </Empty>
      ) : (
        <Table<Row>
          caption={t('customers.title')}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/dashboard/customers/${id}`}
          open={(href) => navigate(href.replace('/dashboard', ''))}
          isLoading={query.isPending}
        />
      )}
      {query.hasNextPage && (
        <div>
          <Button onPress={() => query.fetchNextPage()}>{t('customers.more')}</Button>
        </div>
      )}
      {isMaking && (
        <CustomerDialog
          customer={null}
          onClose={() => setMaking(false)}
          onMade={(id) => navigate(`/customers/${id}`)}
        />
      )}
    </PageFrame>
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return [
    {
      key: 'name',
      head: t('customers.columns.name'),
      cell: ({ name, email, externalId, id }) => name ?? email ?? externalId ?? id,
    },
    { key: 'email', head: t('customers.columns.email'), cell: ({ email }) => email ?? '–', isWide: true },
    {
      key: 'reference',
      head: t('customers.columns.reference'),
      cell: ({ externalId }) => externalId ?? '–',
      isWide: true,
    },
    {
      key: 'payments',
      head: t('customers.columns.payments'),
      cell: ({ _count }) => formats.count(_count.paymentIntents),
      align: 'end',
    },
    {
      key: 'subscriptions',
      head: t('customers.columns.subscriptions'),
      cell: ({ _count }) => formats.count(_count.subscriptions),
      align: 'end',
      isWide: true,
    },
    {
      key: 'created',
      head: t('customers.columns.created'),
      cell: ({ createdAt }) => <Time at={createdAt} />,
      align: 'end',
    },
  ];
}

/** Searches once typing pauses. */
function Search({ text, onFind }: { text: string; onFind: (text: string) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === text) return;
    const timer = setTimeout(() => onFind(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onFind]);
  return (
    <TextField
      type="search"
      label={t('customers.search')}
      placeholder={t('customers.searchHint')}
      maxLength={SEARCH_LENGTH}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      isLabelHidden
    />
  );
}
