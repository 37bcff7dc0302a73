/**
 * Columns stacked by layer, drawn as SVG. Each column can be reached by keyboard (left, right) and shows its figures; the same figures are
 * in a hidden table.
 */
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../class-names.ts';
import styles from './chart.module.css';
import { type StackCell, type StackColumn, stackColumns } from './stack.ts';

type ChartProps = {
  /** The accessible name for screen readers. */
  label: string;
  cells: readonly StackCell[];
  /** In order, with their labels: short ones below the chart, or long ones if there is space. */
  columns: readonly { key: string; words: string; short: string }[];
  /** From bottom to top. */
  layers: readonly { key: string; words: string }[];
  /** Formats a value, for example as "1,200.00 USD". */
  figure: (amount: string) => string;
};

const HEIGHT = 200;
const WIDTH = 800;
const COLOURS = 6;
/** The fraction of its slot that a column fills. */
const FILL = 0.72;
/** The maximum number of labels below the chart. */
const LABELS = 7;

export function Chart({ label, cells, columns, layers, figure }: ChartProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<number>();
  const bars = useRef<SVGSVGElement>(null);
  const stack = useMemo(
    () =>
      stackColumns(cells, {
        columns: columns.map((column) => column.key),
        layers: layers.map((layer) => layer.key),
        height: HEIGHT,
      }),
    [cells, columns, layers],
  );
  const place = WIDTH / Math.max(columns.length, 1);
  const words = (column: StackColumn, index: number) => {
    const parts = column.parts.map(({ layer, amount }) => `${nameOf(layers, layer)} ${figure(amount)}`);
    return [columns[index]?.words, figure(column.total), ...(parts.length > 1 ? parts : [])].join(', ');
  };
  const walk = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    bars.current?.querySelector<SVGGElement>(`[data-column="${index + step}"]`)?.focus();
  };
  const active = shown === undefined ? undefined : stack.columns[shown];
  const every = Math.max(1, Math.ceil(columns.length / LABELS));
  const firstReached = Math.max(0, columns.length - 1);

  return (
    <figure className={styles.chart}>
      <div className={styles.shown} aria-hidden="true">
        {active && shown !== undefined ? (
          <>
            <span className={styles.shownWhen}>{columns[shown]?.words}</span> <strong>{figure(active.total)}</strong>{' '}
            {active.parts.map(({ layer, amount }) => (
              <span key={layer} className={styles.shownPart}>
                {nameOf(layers, layer)} {figure(amount)}
              </span>
            ))}
          </>
        ) : (
          <ul className={styles.legend}>
            {layers.map(({ key, words: name }, index) => (
              <li key={key}>
                <span className={classNames(styles.swatch, styles[`fill${index % COLOURS}`])} /> {name}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={styles.plot}>
        <div className={styles.ticks} aria-hidden="true">
          {stack.ticks.map(({ amount, at }) => (
            <span key={amount} className={styles.tick} style={{ bottom: `${(at / HEIGHT) * 100}%` }}>
              {figure(amount)}
            </span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot represent an image. */}
        <svg
          ref={bars}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className={styles.bars}
          role="group"
          aria-label={label}
          onPointerLeave={() => setShown(undefined)}
        >
          {stack.ticks.map(({ amount, at }) => (
            <line key={amount} x1={0} x2={WIDTH} y1={HEIGHT - at} y2={HEIGHT - at} className={styles.line} />
          ))}
          {stack.columns.map((column, index) => (
            // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a column is an image that is read out when focused.
            <g
              key={column.column}
              data-column={index}
              role="img"
              aria-label={words(column, index)}
              tabIndex={index === (shown ?? firstReached) ? 0 : -1}
              className={styles.column}
              onPointerEnter={() => setShown(index)}
              onFocus={() => setShown(index)}
              onBlur={() => setShown(undefined)}
              onKeyDown={(event) => walk(event, index)}
            >
              <rect x={index * place} y={0} width={place} height={HEIGHT} className={styles.reach} />
              {column.parts.map(({ layer, from, height }) => (
                <rect
                  key={layer}
                  x={index * place + (place * (1 - FILL)) / 2}
                  y={HEIGHT - from - height}
                  width={place * FILL}
                  height={height}
                  className={styles[`fill${layers.findIndex((one) => one.key === layer) % COLOURS}`]}
                />
              ))}
            </g>
          ))}
        </svg>
        <div className={styles.labels} aria-hidden="true">
          {columns.map(({ key, short }, index) => (
            <span key={key}>{index % every === 0 ? short : ''}</span>
          ))}
        </div>
      </div>
      <details className={styles.behind}>
        <summary>{t('everywhere.chart.asTable')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
        <section className={styles.scroll} tabIndex={0} aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('everywhere.chart.when')}</th>
                {layers.map(({ key, words: name }) => (
                  <th key={key} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">{t('everywhere.chart.total')}</th>
              </tr>
            </thead>
            <tbody>
              {stack.columns.map((column, index) => (
                <tr key={column.column}>
                  <th scope="row">{columns[index]?.words}</th>
                  {layers.map(({ key }) => (
                    <td key={key}>{figure(column.parts.find(({ layer }) => layer === key)?.amount ?? '0')}</td>
                  ))}
                  <td>{figure(column.total)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

function nameOf(layers: ChartProps['layers'], key: string): string {
  return layers.find((layer) => layer.key === key)?.words ?? key;
}
