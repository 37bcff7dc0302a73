/** A list in the dashboard: filters, the table, its next page, and what is shown if it has no rows or an error occurred. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button/button.tsx';
import { Empty } from '../../ui/state/empty.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import styles from './resources.module.css';

type ResourceListProps<Row extends { id: string }> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The path below /dashboard. Without it, rows are not links. */
  wayOf?: (row: Row) => string;
  error: unknown;
  isLoading: boolean;
  retry: () => unknown;
  hasMore?: boolean;
  loadMore?: () => unknown;
  filters?: ReactNode;
  isFiltered?: boolean;
  /** Shown if there are no rows and no filters. */
  empty: { title: string; about: string; actions?: ReactNode };
};

type ListState = { rows: readonly unknown[]; error: unknown; isLoading: boolean };

/** Whether the list shows instructions instead of rows. They contain the button, which is then omitted from the page header. */
export function isBare({ rows, error, isLoading }: ListState, isFiltered: boolean): boolean {
  return !isLoading && !error && !isFiltered && rows.length === 0;
}

export function ResourceList<Row extends { id: string }>(props: ResourceListProps<Row>) {
  const { caption, columns, rows, wayOf, error, isLoading, retry, hasMore, loadMore, filters, isFiltered } = props;
  const { t } = useTranslation();
  const [, go] = useLocation();
  const isEmpty = !isLoading && rows.length === 0;
  return (
    <div className={styles.list}>
      {filters && !(isEmpty && !isFiltered) && <div className={styles.filters}>{filters}</div>}
      <ErrorNote error={error} retry={retry} />
      {isEmpty && !error && <ListEmpty {...props.empty} isFiltered={isFiltered} />}
      {!isEmpty && (
        <Table
          caption={caption}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          isLoading={isLoading}
          // A path that starts with ~ is absolute. Without it, wouter would prepend the base path a second time.
          {...(wayOf ? { href: (row: Row) => `/dashboard${wayOf(row)}`, open: (href: string) => go(`~${href}`) } : {})}
        />
      )}
      {hasMore && (
        <div className={styles.more}>
          <Button onPress={() => Promise.resolve(loadMore?.())}>{t('catalog.list.more')}</Button>
        </div>
      )}
    </div>
  );
}

type ListEmptyProps = ResourceListProps<{ id: string }>['empty'] & {
  isFiltered: boolean | undefined;
};

function ListEmpty({ title, about, actions, isFiltered }: ListEmptyProps) {
  const { t } = useTranslation();
  if (isFiltered) return <Empty title={t('catalog.list.nothingFits')}>{t('catalog.list.nothingFitsHow')}</Empty>;
  return (
    <Empty title={title} actions={actions}>
      {about}
    </Empty>
  );
}
