/** The recent volume, where the money is, and the newest payments. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import {
  OverviewAttentionDocument,
  OverviewPageDocument,
  OverviewPaymentsDocument,
  SetupFactsDocument,
} from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { serverTime } from '../../ui/formats/server-clock.ts';
import { useNow } from '../../ui/formats/use-now.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { questionKey, useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { useFollow } from '../session/use-follow.ts';
import { SetupChecklist } from '../setup/setup-checklist.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { AttentionStrip } from './attention/attention-strip.tsx';
import { BooksPanel } from './books-panel.tsx';
import { type LivePayment, withPayment } from './newest-payments.ts';
import { NewestPayments } from './newest-payments-list.tsx';
import styles from './overview.module.css';
import { type Range, ranges, spanOf } from './range.ts';
import { UndeliveredList } from './undelivered-list.tsx';
import { VolumeChart } from './volume-chart.tsx';

const NEWEST = 10;
/** The minimum interval between refreshes of the figures, because a busy shop would cause constant requests. */
const CALM_MS = 1_000;

export function OverviewPage() {
  const { app } = useDashboard();
  // The page is mounted again for another app, so that no data of the previous one is shown.
  return <OverviewOf key={app.id} />;
}

function OverviewOf() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [search, setSearch] = useSearchParams();
  const range: Range = ranges.find((one) => one === search.get('range')) ?? 'month';
  const now = serverTime(useNow());
  const span = spanOf(range, now);
  const key = `${range} ${span.from.toISOString()}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the span changes when its first bucket does.
  const steady = useMemo(() => span, [key]);
  const variables = {
    appId: app.id,
    from: steady.from.toISOString(),
    to: steady.to.toISOString(),
    bucket: steady.bucket,
  };
  const { data, error, isPending, refetch } = useAsk(OverviewPageDocument, variables, { keepsLast: true });
  const payments = useNewestPayments(app.id);
  const overview = data?.overview;
  const byUse = [...(overview?.byCurrency ?? [])].sort((left, right) => right.count - left.count);
  const currencies = byUse.map(({ currency }) => currency);
  const currency = currencies.find((one) => one === search.get('currency')) ?? currencies[0] ?? 'USD';
  const choose = (name: string, value: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      after.set(name, value);
      return after;
    });

  return (
    <PageFrame
      title={t('shell.pages.overview')}
      actions={
        <div className={styles.choices}>
          {currencies.length > 1 && (
            <Select
              isLabelHidden
              label={t('overview.currency')}
              value={currency}
              onChange={(chosen) => choose('currency', chosen)}
              options={currencies.map((one) => ({ value: one, words: one }))}
            />
          )}
          <Select
            isLabelHidden
            label={t('overview.range.label')}
            value={range}
            onChange={(chosen) => choose('range', chosen)}
            options={ranges.map((one) => ({ value: one, words: t(`overview.range.${one}`) }))}
          />
        </div>
      }
    >
      <ErrorNote error={error} retry={refetch} />
      {!payments.isLive && <Note tone="wait">{t('overview.notLive')}</Note>}
      <AttentionStrip />
      <SetupChecklist />
      <UndeliveredList sums={overview?.undelivered ?? []} />
      <BooksPanel books={overview?.books} gas={overview?.gas} currency={currency} isLoading={isPending} />
      {(overview || isPending) && (
        <Panel title={t('overview.received')} about={t('overview.receivedAbout', { currency })}>
          <VolumeChart byTime={overview?.byTime} starts={steady.starts} bucket={steady.bucket} currency={currency} />
        </Panel>
      )}
      {/* The subscription sends nothing while there are no payments. */}
      <NewestPayments payments={payments.newest ?? (overview?.count === 0 ? [] : undefined)} fresh={payments.fresh} />
    </PageFrame>
  );
}

/** The newest payments. Each new one causes a refresh of the figures after a short delay. */
function useNewestPayments(appId: string) {
  const client = useQueryClient();
  const { live } = useDashboard();
  const [newest, setNewest] = useState<readonly LivePayment[]>();
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const [isLive, setLive] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const openedAt = useRef(serverTime().getTime());
  useEffect(() => live.onState(setLive), [live]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useFollow(OverviewPaymentsDocument, { appId }, ({ paymentIntentsUpdated: update }) => {
    setNewest((shown = []) => withPayment(shown, update, NEWEST));
    if (Date.parse(update.createdAt) > openedAt.current) setFresh((ids) => new Set([...ids, update.id]));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const one of [OverviewPageDocument, OverviewAttentionDocument, SetupFactsDocument]) {
        void client.invalidateQueries({ queryKey: questionKey(one) });
      }
    }, CALM_MS);
  });
  return { newest, fresh, isLive };
}
