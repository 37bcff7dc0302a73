/** Downloads what is filtered, all of it. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, networkFault } from '../../../api/api-error.ts';
import type { Credential } from '../../../api/ask.ts';
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
      const file = await read(exportPath(filters, format), { credential, signal: stop.signal });
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

/** The whole file; what breaks off before its end is a fault. */
async function read(path: string, asked: { credential: Credential; signal: AbortSignal }): Promise<Blob> {
  const request = { headers: asked.credential, signal: asked.signal };
  const response = await fetch(path, request).catch((cause: unknown) => {
    throw networkFault(cause);
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (response.ok) {
    return await response.blob().catch((cause: unknown) => {
      throw networkFault(cause, requestId);
    });
  }
  const body: unknown = await response.json().catch(() => undefined);
  const error = typeof body === 'object' && body !== null && 'error' in body ? Object(body.error) : {};
  throw new ApiError({
    code: String(error.code ?? 'INTERNAL_ERROR'),
    message: String(error.message ?? 'Something failed.'),
    requestId,
  });
}
