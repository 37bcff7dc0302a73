import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import type { Installation } from './installation.ts';

const tones = { MATCH: 'good', DRIFT: 'bad', UNKNOWN: 'wait' } as const;

export function BooksTable({ books }: { books: Installation['books'] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t('operations.books.title')}
      rows={books}
      rowKey={(row) => String(row.chainId)}
      columns={[
        {
          key: 'chain',
          head: t('operations.chain'),
          cell: ({ chainId }) => (chainId === null ? t('operations.books.every') : (chainOf(chainId)?.name ?? chainId)),
        },
        {
          key: 'state',
          isCorner: true,
          head: t('operations.state'),
          cell: ({ state }) => (
            <Status status={state} tone={tones[state]}>
              {t(`operations.books.states.${state}`)}
            </Status>
          ),
        },
        { key: 'payments', head: t('operations.books.payments'), cell: (row) => row.payments ?? '–', align: 'end' },
        { key: 'drifting', head: t('operations.books.drifting'), cell: (row) => row.drifting ?? '–', align: 'end' },
        {
          key: 'uncovered',
          head: t('operations.books.uncovered'),
          cell: (row) => row.uncovered.join(', ') || '–',
          isWide: true,
        },
      ]}
    />
  );
}
