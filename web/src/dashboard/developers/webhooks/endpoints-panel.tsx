/** The webhook endpoints of the app, each with its deliveries. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { DeveloperEndpointsDocument } from '../../../../../generated/web/documents.ts';
import { settings } from '../../../settings.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Empty } from '../../../ui/state/empty.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';
import { curlOf } from '../samples/sample-calls.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointPanel } from './endpoint-panel.tsx';
import { EndpointState } from './endpoint-state.tsx';

export function EndpointsPanel() {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const [search, setSearch] = useSearchParams();
  const [isMaking, setMaking] = useState(false);
  const { data, error, isPending, refetch } = useAsk(DeveloperEndpointsDocument, { appId: app.id });
  const endpoints = data?.webhookEndpoints ?? [];
  const opened = endpoints.find((endpoint) => endpoint.id === search.get('endpoint'));
  if (opened) {
    const back = () => setSearch({ tab: 'webhooks' });
    return (
      <>
        <EndpointPanel endpoint={opened} onBack={back} />
        <DeliveriesPanel endpointId={opened.id} />
      </>
    );
  }
  const make = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
      {t('developers.webhooks.create')}
    </Button>
  );
  return (
    <Panel
      title={t('developers.webhooks.title')}
      about={t('developers.webhooks.about')}
      actions={endpoints.length > 0 && make}
    >
      <ErrorNote error={error} retry={refetch} />
      {!isPending && endpoints.length === 0 && !error ? (
        <Empty
          title={t('developers.webhooks.none')}
          call={curlOf('webhook', { appId: app.id, origin: settings.publicUrl })}
          actions={make}
        >
          {t('developers.webhooks.noneAbout')}
        </Empty>
      ) : (
        <Table
          caption={t('developers.webhooks.title')}
          rows={endpoints}
          rowKey={(endpoint) => endpoint.id}
          isLoading={isPending}
          columns={[
            {
              key: 'url',
              head: t('developers.webhooks.url'),
              cell: (endpoint) => <span className={styles.url}>{endpoint.url}</span>,
            },
            {
              key: 'state',
              isCorner: true,
              head: t('developers.keys.state'),
              cell: (endpoint) => <EndpointState endpoint={endpoint} />,
            },
            {
              key: 'events',
              head: t('developers.webhooks.events'),
              isWide: true,
              cell: ({ events }) =>
                events.includes('*')
                  ? t('developers.webhooks.all')
                  : t('developers.webhooks.some', { count: events.length }),
            },
            {
              key: 'made',
              head: t('developers.created'),
              cell: ({ createdAt }) => <Time at={createdAt} />,
              isWide: true,
            },
            {
              key: 'open',
              head: <span className="visually-hidden">{t('developers.actions')}</span>,
              align: 'end',
              cell: ({ id, url }) => (
                <Button
                  size="small"
                  aria-label={t('developers.webhooks.openOf', { url })}
                  onPress={() => setSearch({ tab: 'webhooks', endpoint: id })}
                >
                  {t('developers.webhooks.open')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {isMaking && <EndpointDialog onClose={() => setMaking(false)} />}
    </Panel>
  );
}
