/** The tools for integrators: keys, webhooks, the event log, the test clock and a GraphQL editor. The URL contains the selected tab. */
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { Tabs } from '../../ui/overlays/tabs.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { ClockPanel } from './clock/clock-panel.tsx';
import styles from './developers.module.css';
import { EventLog } from './events/event-log.tsx';
import { KeysPanel } from './keys/keys-panel.tsx';
import { SamplesPanel } from './samples/samples-panel.tsx';
import { EndpointsPanel } from './webhooks/endpoints-panel.tsx';

const Explorer = lazy(async () => ({ default: (await import('./explorer/explorer.tsx')).Explorer }));

const keys = ['keys', 'webhooks', 'events', 'clock', 'graphql'] as const;
type Key = (typeof keys)[number];

export function DevelopersPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const chosen = keys.find((key) => key === search.get('tab')) ?? 'keys';
  const contents: Record<Key, React.ReactNode> = {
    keys: (
      <div className={styles.panels}>
        <KeysPanel />
        <SamplesPanel />
      </div>
    ),
    webhooks: <EndpointsPanel />,
    events: <EventLog />,
    clock: <ClockPanel />,
    graphql: (
      <Suspense fallback={<Skeleton lines={8} />}>
        <Explorer />
      </Suspense>
    ),
  };
  return (
    <PageFrame title={t('shell.pages.developers')} about={t('developers.about')}>
      <Tabs
        label={t('shell.pages.developers')}
        chosen={chosen}
        onChoose={(tab) => setSearch({ tab })}
        tabs={keys.map((key) => ({
          key,
          title: t(`developers.tabs.${key}`),
          content: key === chosen ? contents[key] : null,
        }))}
      />
    </PageFrame>
  );
}
