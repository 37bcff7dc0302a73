// biome-ignore-all lint/a11y/useSemanticElements: the scroller positions the rows, so they cannot be table rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus moves by row, and Tab reaches one row at a time.
/** The virtualized rows. Only the visible ones are rendered, so a list of a hundred thousand scrolls as fast as one of ten. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentRowFragment } from '../../../../../generated/web/documents.ts';
import { useNarrow } from '../../../ui/use-narrow.ts';
import { PaymentRow } from './payment-row.tsx';
import styles from './payments-list.module.css';

const ROW_HEIGHT = 48;
const NARROW_ROW_HEIGHT = 68;
/** The number of rows that are rendered above and below the visible ones. */
const OVERSCAN = 10;
/** The next page is requested when this many rows are left. */
const AHEAD = 40;

const columns = ['amount', 'status', 'payer', 'token', 'reference', 'created'] as const;

type PaymentsGridProps = {
  rows: readonly PaymentRowFragment[];
  changed: ReadonlyMap<string, PaymentRowFragment>;
  hasMore: boolean;
  isReadingMore: boolean;
  onMore: () => void;
  onOpen: (id: string) => void;
};

export function PaymentsGrid({ rows, changed, hasMore, isReadingMore, onMore, onOpen }: PaymentsGridProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const wantedRow = useRef(0);
  const isNarrow = useNarrow();
  const height = isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the total size must be measured again when the row height changes.
  useEffect(() => virtual.measure(), [height]);
  const seen = virtual.getVirtualItems();
  const last = seen.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isReadingMore && last >= rows.length - AHEAD) onMore();
  }, [hasMore, isReadingMore, last, rows.length, onMore]);

  const focusRow = useCallback(
    (wanted: number) => {
      const index = Math.max(0, Math.min(rows.length - 1, wanted));
      setCurrent(index);
      wantedRow.current = index;
      virtual.scrollToIndex(index);
      // The row may be rendered only after the list has scrolled to it. By then, another key may have selected another row.
      const focus = () => {
        if (wantedRow.current !== index) return;
        place.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
      };
      requestAnimationFrame(() => requestAnimationFrame(focus));
    },
    [rows.length, virtual],
  );
  const walk = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((place.current?.clientHeight ?? height) / height) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key];
    const row = rows[current];
    if (step !== undefined) focusRow(current + step);
    else if (event.key === 'Home') focusRow(0);
    else if (event.key === 'End') focusRow(rows.length - 1);
    else if (event.key === 'Enter' && row) onOpen(row.id);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={place}
      role="grid"
      aria-label={t('payments.list.name')}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      className={styles.grid}
      onKeyDown={walk}
    >
      <div role="rowgroup" className={styles.head}>
        <div role="row" aria-rowindex={1} className={styles.headings}>
          {columns.map((column) => (
            <span key={column} role="columnheader" className={styles[column]}>
              {t(`payments.list.columns.${column}`)}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
        {seen.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const shown = changed.get(row.id);
          return (
            <PaymentRow
              key={row.id}
              row={shown && shown.updatedAt >= row.updatedAt ? shown : row}
              index={index}
              offset={start}
              isCurrent={index === current}
              onOpen={onOpen}
              onFocus={setCurrent}
            />
          );
        })}
      </div>
    </div>
  );
}
