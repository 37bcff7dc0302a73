/** The amounts that the chain paid to the payout addresses by day, and the differences from the books. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { useTokenWords } from '../resources/use-token-words.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import { type Reconciliation, type ReconciliationRow, readReconciliation } from './reconciliation.ts';
import { reportFile, reportPath } from './report-files.ts';
import type { ReportPeriod } from './report-period.ts';
import styles from './reports.module.css';
import { useDownload } from './use-download.ts';

/** More rows are available in the downloaded file only. */
const SHOWN_ROWS = 200;

export function ReconciliationPanel({ period, isDisabled }: { period: ReportPeriod; isDisabled: boolean }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const shown = useDownload();
  const saved = useDownload();
  const [found, setFound] = useState<{ of: string; reconciliation: Reconciliation }>();
  const [broken, setBroken] = useState<unknown>();
  const choice = { name: 'reconciliation', period, appId: app.id } as const;
  const path = reportPath({ ...choice, format: 'json' });
  const show = async () => {
    setBroken(undefined);
    const text = await shown.read(path);
    if (text === undefined) return;
    try {
      setFound({ of: path, reconciliation: readReconciliation(text) });
    } catch (error) {
      setBroken(error);
    }
  };
  const download = () => {
    const file = { ...choice, format: 'csv' } as const;
    return saved.save(reportPath(file), reportFile(file));
  };
  return (
    <Panel
      title={t('reports.reconciliation.title')}
      about={t('reports.reconciliation.about')}
      actions={
        <>
          <Button isBusy={saved.isBusy} isDisabled={isDisabled} onPress={download}>
            {t('reports.reconciliation.download')}
          </Button>
          <Button look="primary" isBusy={shown.isBusy} isDisabled={isDisabled} onPress={show}>
            {t('reports.reconciliation.show')}
          </Button>
        </>
      }
    >
      <ErrorNote error={shown.fault ?? saved.fault ?? broken} retry={show} />
      {found?.of === path && <Shown reconciliation={found.reconciliation} />}
    </Panel>
  );
}

function Shown({ reconciliation: { days, differences, transfers } }: { reconciliation: Reconciliation }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const dayColumns = useDayColumns();
  const differenceColumns = useDifferenceColumns();
  const isCut = days.length > SHOWN_ROWS || differences.length > SHOWN_ROWS;
  return (
    <div className={styles.shown}>
      {differences.length > 0 ? (
        <>
          <Note tone="bad" isUrgent title={t('reports.reconciliation.differences', { count: differences.length })}>
            {t('reports.reconciliation.differencesAbout')}
          </Note>
          <Table
            caption={t('reports.reconciliation.differencesCaption')}
            columns={differenceColumns}
            rows={differences.slice(0, SHOWN_ROWS)}
            rowKey={(row) =>
              `${row.chain_id} ${row.tx_hash} ${row.log_index} ${row.payment_intent_ids} ${row.difference}`
            }
          />
        </>
      ) : (
        <Note tone="good" title={t('reports.reconciliation.agree')}>
          {t('reports.reconciliation.transfers', { count: transfers, figure: formats.count(transfers) })}
        </Note>
      )}
      {days.length > 0 && (
        <Table
          caption={t('reports.reconciliation.daysCaption')}
          columns={dayColumns}
          rows={days.slice(0, SHOWN_ROWS)}
          rowKey={(row) => `${row.day} ${row.chain_id} ${row.token_key} ${row.payout_address}`}
        />
      )}
      {isCut && <p className={styles.soft}>{t('reports.reconciliation.cut', { count: SHOWN_ROWS })}</p>}
    </div>
  );
}

function useDayColumns(): Column<ReconciliationRow>[] {
  const { t } = useTranslation();
  return [
    { key: 'day', head: t('reports.columns.day'), cell: ({ day }) => <time dateTime={day}>{day}</time> },
    {
      key: 'address',
      head: t('reports.columns.address'),
      cell: ({ payout_address: address, chain_id: chainId }) =>
        address && <Address value={address} chainId={chainId} />,
      isWide: true,
    },
    { key: 'count', head: t('reports.columns.count'), align: 'end', cell: (row) => row.transfer_count, isWide: true },
    {
      key: 'sum',
      head: t('reports.columns.sum'),
      align: 'end',
      cell: (row) => <Units amount={row.amount_tokens ?? row.amount_base_units} token={row.token_key} />,
    },
    {
      key: 'closing',
      head: t('reports.columns.closing'),
      align: 'end',
      cell: (row) => <Units amount={row.closing_tokens} token={row.token_key} />,
    },
  ];
}

function useDifferenceColumns(): Column<ReconciliationRow>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'difference',
      head: t('reports.columns.difference'),
      cell: ({ difference, day }) => (
        <span className={styles.stack}>
          <strong className={styles.bad}>{difference && t(`reports.differences.${difference}`)}</strong>
          <span className={styles.soft}>{day}</span>
        </span>
      ),
    },
    {
      key: 'payment',
      head: t('reports.columns.payment'),
      cell: ({ payment_intent_ids: ids }) => ids && <a href={`/dashboard/payments/${ids}`}>{ids.slice(0, 8)}…</a>,
    },
    {
      key: 'tx',
      head: t('reports.columns.transaction'),
      cell: ({ tx_hash: hash, chain_id: chainId }) =>
        hash && <Address value={hash} chainId={chainId} kind="transaction" />,
      isWide: true,
    },
    {
      key: 'chain',
      head: t('reports.columns.onChain'),
      align: 'end',
      cell: (row) => <Units amount={row.amount_base_units} token={row.token_key} />,
    },
    {
      key: 'books',
      head: t('reports.columns.booked'),
      align: 'end',
      cell: (row) => <Units amount={row.booked_base_units} token={row.token_key} />,
    },
  ];
}

function Units({ amount, token }: { amount: string | null; token: string | null }) {
  const tokenWords = useTokenWords();
  if (amount === null) return '–';
  return (
    <span className={styles.units}>
      {amount} <span className={styles.soft}>{token && tokenWords(token)}</span>
    </span>
  );
}
