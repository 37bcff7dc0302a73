import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import { formatsOf, type ReportFormat, type ReportName, reportFile, reportNames, reportPath } from './report-files.ts';
import type { ReportPeriod } from './report-period.ts';
import styles from './reports.module.css';
import { useDownload } from './use-download.ts';

export function DownloadPanel({ period, isDisabled }: { period: ReportPeriod; isDisabled: boolean }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const { isBusy, fault, save } = useDownload();
  const [name, setName] = useState<ReportName>('payments');
  const [wanted, setWanted] = useState<ReportFormat>('csv');
  const formats = formatsOf(name);
  const format = formats.find((one) => one === wanted) ?? formats[0] ?? 'csv';
  const choice = { name, format, period, appId: app.id };
  return (
    <Panel title={t('reports.download.title')} about={t(`reports.names.${name}.about`)}>
      <div className={styles.choice}>
        <Select
          label={t('reports.report')}
          value={name}
          onChange={setName}
          options={reportNames.map((value) => ({ value, words: t(`reports.names.${value}.name`) }))}
        />
        <Select
          label={t('reports.format')}
          value={format}
          onChange={setWanted}
          options={formats.map((value) => ({ value, words: t(`reports.formats.${value}`) }))}
        />
        <Button
          look="primary"
          isBusy={isBusy}
          isDisabled={isDisabled}
          onPress={() => save(reportPath(choice), reportFile(choice))}
        >
          {t('reports.download.start')}
        </Button>
      </div>
      <ErrorNote error={fault} />
    </Panel>
  );
}
