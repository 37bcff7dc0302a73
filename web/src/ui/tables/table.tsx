/**
 * A dense table with keyboard navigation: up and down move between rows, and Enter opens one. On narrow screens, a row of three columns or
 * more becomes a block of lines, each with the name of its column, so that no column is out of sight. Otherwise, a wide table scrolls
 * within itself.
 */
import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { Skeleton } from '../state/skeleton.tsx';
import { ScrollFrame } from './scroll-frame.tsx';
import styles from './table.module.css';

export type Column<Row> = {
  key: string;
  head: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** Hidden on narrow screens. */
  isWide?: boolean;
  /** On narrow screens it is shown next to the first cell, for example a status. */
  isCorner?: boolean;
};

type TableProps<Row> = {
  /** The accessible name of the list for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The target of a row. Its first cell becomes the link, and a click anywhere in the row opens it. */
  href?: (row: Row) => string;
  /** Navigates without reloading the page. Required with `href`. */
  open?: (href: string) => void;
  isFresh?: (row: Row) => boolean;
  /** Rows are loading, and this number of placeholder lines is shown. */
  isLoading?: boolean;
};

const LOADING_ROWS = 5;
/** The number of columns that fit side by side on a narrow screen. */
const NARROW_COLUMNS = 2;

export function Table<Row>({ caption, columns, rows, rowKey, href, open, isFresh, isLoading }: TableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);

  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { target } = event;
    if (!step || !(target instanceof HTMLElement)) return;
    const ways = [...(body.current?.querySelectorAll<HTMLElement>('a[data-way]') ?? [])];
    const here = ways.findIndex((way) => way.closest('tr') === target.closest('tr'));
    const next = ways[here + step];
    if (here < 0 || !next) return;
    event.preventDefault();
    next.focus();
  };
  // A click outside the link also opens the row, unless it is on a button or selects text.
  const press = (event: MouseEvent, target: string | undefined) => {
    if (!target || !open || !(event.target instanceof HTMLElement)) return;
    if (event.target.closest('button, a, input, select, label') || String(getSelection()) !== '') return;
    open(target);
  };

  const isStacked = columns.filter((column) => !column.isWide).length > NARROW_COLUMNS;
  return (
    <ScrollFrame label={caption}>
      <table className={classNames(styles.table, isStacked && styles.stacked)}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={cellClass(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={walk}>
          {isLoading && rows.length === 0
            ? Array.from({ length: LOADING_ROWS }, (_, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key.
                <tr key={line} className={styles.waiting}>
                  {columns.map((column) => (
                    <td key={column.key} className={cellClass(column)}>
                      <Skeleton isSilent={line > 0 || column.key !== columns[0]?.key} />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => {
                const target = href?.(row);
                return (
                  <tr
                    key={rowKey(row)}
                    className={classNames(styles.row, target && styles.opens, isFresh?.(row) && styles.fresh)}
                    onClick={(event) => press(event, target)}
                  >
                    {columns.map((column, index) => (
                      <td
                        key={column.key}
                        className={cellClass(column)}
                        // Shown by the style sheet on narrow screens only.
                        data-label={index === 0 || column.isCorner ? undefined : labelOf(column)}
                      >
                        {index === 0 && target ? (
                          <RowLink href={target} open={open}>
                            {column.cell(row)}
                          </RowLink>
                        ) : (
                          column.cell(row)
                        )}
                      </td>
                    ))}
                  </tr>
                );
              })}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

type RowLinkProps = { href: string; open: ((href: string) => void) | undefined; children: ReactNode };

function RowLink({ href, open, children }: RowLinkProps) {
  const press = (event: MouseEvent) => {
    if (!open || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open(href);
  };
  return (
    <a href={href} data-way="" className={styles.way} onClick={press}>
      {children}
    </a>
  );
}

function labelOf<Row>({ head }: Column<Row>): string | undefined {
  return typeof head === 'string' && head !== '' ? head : undefined;
}

function cellClass<Row>(column: Column<Row>): string {
  return classNames(
    column.align === 'end' && styles.end,
    column.isWide && styles.wide,
    column.isCorner && styles.corner,
  );
}
