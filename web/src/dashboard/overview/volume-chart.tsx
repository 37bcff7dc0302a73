/** The paid volume by bucket, stacked by chain. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { OverviewPageQuery } from '../../../../generated/web/documents.ts';
import { chainOf } from '../../settings.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import type { Bucket } from './range.ts';

type VolumeChartProps = {
  byTime: OverviewPageQuery['overview']['byTime'] | undefined;
  starts: readonly Date[];
  bucket: Bucket;
  currency: string;
};

/** Buckets start in UTC, so they are labeled in UTC. */
const names: Record<Bucket, { words: Intl.DateTimeFormatOptions; short: Intl.DateTimeFormatOptions }> = {
  HOUR: {
    words: { day: 'numeric', month: 'short', hour: '2-digit', timeZoneName: 'short' },
    short: { hour: '2-digit' },
  },
  DAY: { words: { day: 'numeric', month: 'long', year: 'numeric' }, short: { day: 'numeric', month: 'short' } },
  WEEK: { words: { day: 'numeric', month: 'long', year: 'numeric' }, short: { day: 'numeric', month: 'short' } },
  MONTH: { words: { month: 'long', year: 'numeric' }, short: { month: 'short' } },
};

export function VolumeChart({ byTime, starts, bucket, currency }: VolumeChartProps) {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const columns = useMemo(() => {
    const long = new Intl.DateTimeFormat(i18n.language, { ...names[bucket].words, timeZone: 'UTC' });
    const short = new Intl.DateTimeFormat(i18n.language, { ...names[bucket].short, timeZone: 'UTC' });
    return starts.map((start) => ({ key: start.toISOString(), words: long.format(start), short: short.format(start) }));
  }, [starts, bucket, i18n.language]);
  const cells = useMemo(
    () =>
      (byTime ?? []).flatMap(({ start, byChain }) =>
        byChain.flatMap(({ chainId, amount, currency: own }) =>
          chainId === null || own !== currency
            ? []
            : { column: new Date(start).toISOString(), layer: String(chainId), amount },
        ),
      ),
    [byTime, currency],
  );
  const layers = useMemo(
    () =>
      [...new Set(cells.map((cell) => cell.layer))].sort().map((key) => ({ key, words: chainOf(+key)?.name ?? key })),
    [cells],
  );
  if (!byTime) return <Skeleton height={240} />;
  return (
    <Chart
      label={t('overview.received')}
      cells={cells}
      columns={columns}
      layers={layers}
      figure={(amount) => formats.fiat(amount, currency)}
    />
  );
}
