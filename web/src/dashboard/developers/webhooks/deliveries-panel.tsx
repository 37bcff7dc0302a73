/** The deliveries to an endpoint, newest first: every attempt with its response, the payload, and a button that delivers it again. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  DeveloperDeliveriesDocument,
  type DeveloperDeliveryFragment,
  DeveloperRedeliverDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Status } from '../../../ui/state/status.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';
import { JsonView } from '../json-view.tsx';

const states = ['ALL', 'PENDING', 'DELIVERED', 'FAILED'] as const;
const LOOK_MS = 5_000;

export function DeliveriesPanel({ endpointId }: { endpointId: string }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [state, setState] = useState<(typeof states)[number]>('ALL');
  /** The last delivery of each previous page. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [openId, setOpenId] = useState<string>();
  const variables = {
    appId: app.id,
    endpointId,
    cursor: cursors.at(-1) ?? null,
    status: state === 'ALL' ? null : state,
  };
  const { data, error, isPending, refetch } = useAsk(DeveloperDeliveriesDocument, variables, {
    keepsLast: true,
    everyMs: LOOK_MS,
  });
  const page = data?.webhookDeliveries;
  const items = page?.items ?? [];
  const last = items.at(-1);
  const open = items.find((one) => one.id === openId);
  return (
    <Panel title={t('developers.deliveries.title')} about={t('developers.deliveries.about')}>
      <div className={styles.filters}>
        <Select
          label={t('developers.keys.state')}
          value={state}
          onChange={(value) => {
            setState(value);
            setCursors([]);
          }}
          options={states.map((value) => ({ value, words: t(`developers.deliveries.states.${value}`) }))}
        />
      </div>
      <ErrorNote error={error} retry={refetch} />
      <Table
        caption={t('developers.deliveries.title')}
        rows={items}
        rowKey={(one) => one.id}
        isLoading={isPending}
        columns={[
          { key: 'event', head: t('developers.events.type'), cell: (one) => <code>{one.event}</code> },
          {
            key: 'status',
            isCorner: true,
            head: t('developers.keys.state'),
            cell: (one) => <Status status={one.status}>{t(`developers.deliveries.states.${one.status}`)}</Status>,
          },
          {
            key: 'answer',
            head: t('developers.deliveries.answer'),
            cell: (one) => one.responseStatus ?? '–',
            isWide: true,
          },
          {
            key: 'tries',
            head: t('developers.deliveries.tries'),
            cell: (one) => one.attempts,
            align: 'end',
            isWide: true,
          },
          { key: 'at', head: t('developers.created'), cell: (one) => <Time at={one.createdAt} />, isWide: true },
          {
            key: 'open',
            head: <span className="visually-hidden">{t('developers.actions')}</span>,
            align: 'end',
            cell: (one) => (
              <Button
                size="small"
                aria-label={t('developers.deliveries.openOf', { event: one.event })}
                onPress={() => setOpenId(one.id)}
              >
                {t('developers.webhooks.open')}
              </Button>
            ),
          },
        ]}
      />
      {!isPending && items.length === 0 && <p>{t('developers.deliveries.none')}</p>}
      {(cursors.length > 0 || last) && (
        <div className={styles.more}>
          <span className={styles.buttons}>
            <Button isDisabled={cursors.length === 0} onPress={() => setCursors(cursors.slice(0, -1))}>
              {t('developers.newer')}
            </Button>
            <Button isDisabled={!page?.hasMore || !last} onPress={() => last && setCursors([...cursors, last.id])}>
              {t('developers.older')}
            </Button>
          </span>
        </div>
      )}
      {open && <DeliveryDialog delivery={open} onClose={() => setOpenId(undefined)} />}
    </Panel>
  );
}

function DeliveryDialog({ delivery, onClose }: { delivery: DeveloperDeliveryFragment; onClose: () => void }) {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const { mutateAsync, error } = useApiMutation(DeveloperRedeliverDocument, { changes: [DeveloperDeliveriesDocument] });
  const again = () => mutateAsync({ appId: app.id, deliveryId: delivery.id }).catch(() => {});
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={<code>{delivery.event}</code>}
      about={
        delivery.nextRetryAt ? (
          <>
            {t('developers.deliveries.next')} <Time at={delivery.nextRetryAt} />
          </>
        ) : undefined
      }
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.close')}</Button>
          {mayWrite && (
            <Button look="primary" onPress={again}>
              {t('developers.deliveries.again')}
            </Button>
          )}
        </>
      }
    >
      <ErrorNote error={error} />
      <Table
        caption={t('developers.deliveries.tries')}
        rows={delivery.tries}
        rowKey={(one) => one.id}
        columns={[
          { key: 'at', head: t('developers.deliveries.at'), cell: (one) => <Time at={one.createdAt} isAbsolute /> },
          {
            key: 'status',
            isCorner: true,
            head: t('developers.deliveries.answer'),
            cell: (one) => one.responseStatus ?? one.error ?? '–',
          },
          {
            key: 'body',
            head: t('developers.deliveries.body'),
            cell: (one) => <span className={styles.url}>{one.responseBody ?? ''}</span>,
            isWide: true,
          },
          { key: 'ms', head: 'ms', cell: (one) => one.latencyMs, align: 'end' },
        ]}
      />
      <h3>{t('developers.deliveries.payload')}</h3>
      <JsonView value={delivery.payload} name={t('developers.deliveries.payload')} />
    </Dialog>
  );
}
