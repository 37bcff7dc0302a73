/** Reports as files, the reconciliation with its differences, and the proof that the published liabilities include the app's payments. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Note } from '../../ui/state/note.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { DownloadPanel } from './download-panel.tsx';
import { ProofPanel } from './proof-panel.tsx';
import { ReconciliationPanel } from './reconciliation-panel.tsx';
import { defaultPeriod, isUnfinished, MOST_DAYS, periodFault } from './report-period.ts';
import styles from './reports.module.css';

export function ReportsPage() {
  const { t } = useTranslation();
  const [period, setPeriod] = useState(() => defaultPeriod(new Date()));
  const fault = periodFault(period);
  return (
    <PageFrame title={t('shell.pages.reports')} about={t('reports.about')}>
      <div className={styles.period}>
        <TextField
          label={t('reports.first')}
          type="date"
          value={period.first}
          onChange={(event) => setPeriod({ ...period, first: event.target.value })}
        />
        <TextField
          label={t('reports.last')}
          type="date"
          value={period.last}
          error={fault && t(`reports.faults.${fault}`, { days: MOST_DAYS })}
          onChange={(event) => setPeriod({ ...period, last: event.target.value })}
        />
      </div>
      {!fault && isUnfinished(period, new Date()) && <Note>{t('reports.unfinished')}</Note>}
      <DownloadPanel period={period} isDisabled={fault !== undefined} />
      <ReconciliationPanel period={period} isDisabled={fault !== undefined} />
      <ProofPanel />
    </PageFrame>
  );
}
