/** Downloads all entries that match the filters. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readFile } from '../../../api/read-file.ts';
import { Button } from '../../../ui/button/button.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import styles from './audit.module.css';
import { type AuditFilters, exportPath } from './audit-filters.ts';

const formats = ['csv', 'ndjson'] as const;
type Format = (typeof formats)[number];

export function ExportAudit({ filters }: { filters: AuditFilters }) {
  const { t } = useTranslation();
  const { credential } = useDashboard();
  const [busy, setBusy] = useState<Format>();
  const [fault, setFault] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (format: Format) => {
    const stop = new AbortController();
    running.current = stop;
    setFault(undefined);
    setBusy(format);
    try {
      const file = await readFile(exportPath(filters, format), { credential, signal: stop.signal });
      saveFile([file], { name: `audit-log-${new Date().toISOString().slice(0, 10)}.${format}`, type: file.type });
    } catch (error) {
      if (!stop.signal.aborted) setFault(error);
    }
    setBusy(undefined);
  };

  return (
    <>
      <span className={styles.buttons}>
        {formats.map((format) => (
          <Button key={format} isBusy={busy === format} isDisabled={busy !== undefined} onPress={() => run(format)}>
            {t(`audit.export.${format}`)}
          </Button>
        ))}
      </span>
      <ErrorNote error={fault} />
    </>
  );
}
