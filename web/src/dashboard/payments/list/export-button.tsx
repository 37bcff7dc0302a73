/** Exports the filtered list as CSV, page by page. The export can be cancelled. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PaymentsListDocument } from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { Button } from '../../../ui/button/button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { filterOf, type PaymentFilters } from './payment-filters.ts';
import { paymentsCsv } from './payments-csv.ts';

/** The page size is limited, because a hundred of these rows exceed the cost limit of a request. */
const PAGE_SIZE = 50;

type ExportButtonProps = { filters: PaymentFilters; appId: string; isDisabled: boolean };

export function ExportButton({ filters, appId, isDisabled }: ExportButtonProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { credential } = useDashboard();
  const [written, setWritten] = useState<number | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const stop = new AbortController();
    running.current = stop;
    setFailed(false);
    setWritten(0);
    const filter = filterOf(filters, appId);
    let rows = 0;
    const read = async (after: string | null) => {
      const asked = { credential, signal: stop.signal };
      const { paymentIntents } = await ask(PaymentsListDocument, { filter, after, first: PAGE_SIZE }, asked);
      const { nodes, pageInfo } = paymentIntents;
      rows += nodes.length;
      setWritten(rows);
      return { rows: nodes, next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null };
    };
    try {
      const parts: string[] = [];
      for await (const part of paymentsCsv(read)) parts.push(part);
      const name = `payments-${new Date().toISOString().slice(0, 10)}.csv`;
      saveFile(parts, { name, type: 'text/csv;charset=utf-8' });
    } catch {
      setFailed(!stop.signal.aborted);
    }
    setWritten(null);
  };

  if (written !== null) {
    return (
      <Button icon="cross" onPress={() => running.current?.abort()}>
        {t('payments.export.running', { count: written, figure: formats.count(written) })}
      </Button>
    );
  }
  return (
    <Button onPress={() => void run()} isDisabled={isDisabled}>
      {hasFailed ? t('payments.export.failed') : t('payments.export.start')}
    </Button>
  );
}
