/** One endpoint: its event types and its actions. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  DeveloperDeleteEndpointDocument,
  DeveloperDeliveriesDocument,
  type DeveloperEndpointFragment,
  DeveloperEndpointsDocument,
  DeveloperPingDocument,
  DeveloperRotateSecretDocument,
  DeveloperUpdateEndpointDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Note } from '../../../ui/state/note.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';
import { KeySecret } from '../keys/key-secret.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointState } from './endpoint-state.tsx';

type Doing = 'edit' | 'secret' | 'delete';

export function EndpointPanel({ endpoint, onBack }: { endpoint: DeveloperEndpointFragment; onBack: () => void }) {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const showToast = useToasts();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const list = { changes: [DeveloperEndpointsDocument, DeveloperDeliveriesDocument] };
  const ping = useApiMutation(DeveloperPingDocument, list);
  const update = useApiMutation(DeveloperUpdateEndpointDocument, list);
  const rotate = useApiMutation(DeveloperRotateSecretDocument, list);
  const remove = useApiMutation(DeveloperDeleteEndpointDocument, list);
  const which = { appId: app.id, id: endpoint.id };

  const sendPing = async () => {
    const answer = (await ping.mutateAsync({ ...which }).catch(() => undefined))?.pingWebhookEndpoint;
    if (!answer) return;
    const more =
      answer.responseStatus === null
        ? answer.error
        : t('developers.webhooks.answered', { status: answer.responseStatus, ms: answer.latencyMs });
    showToast({
      title: t(answer.delivered ? 'developers.webhooks.pingGood' : 'developers.webhooks.pingBad'),
      more,
      tone: answer.delivered ? 'good' : 'bad',
    });
  };
  const setActive = (active: boolean) => update.mutateAsync({ ...which, input: { active } }).catch(() => {});
  const giveSecret = () => rotate.mutateAsync({ ...which }).catch(() => {});
  const drop = () => remove.mutateAsync({ ...which }).then(onBack, () => {});
  const secret = rotate.data?.rotateWebhookSecret.secret;

  return (
    <Panel
      title={<span className={styles.url}>{endpoint.url}</span>}
      actions={
        <>
          <Button icon="back" onPress={onBack}>
            {t('developers.webhooks.title')}
          </Button>
          {mayWrite && (
            <>
              <Button onPress={sendPing}>{t('developers.webhooks.ping')}</Button>
              <Button onPress={() => setDoing('edit')}>{t('developers.webhooks.edit')}</Button>
              <Button onPress={() => setDoing('secret')}>{t('developers.webhooks.rotate')}</Button>
              <Button onPress={() => setActive(!endpoint.active)}>
                {t(endpoint.active ? 'developers.webhooks.turnOff' : 'developers.webhooks.turnOn')}
              </Button>
              <Button look="danger" onPress={() => setDoing('delete')}>
                {t('developers.webhooks.delete')}
              </Button>
            </>
          )}
        </>
      }
    >
      <p>
        <EndpointState endpoint={endpoint} />{' '}
        {endpoint.events.includes('*') ? t('developers.webhooks.all') : endpoint.events.join(', ')}
        {endpoint.ordered && `, ${t('developers.webhooks.isOrdered')}`}
      </p>
      {endpoint.disabledReason && (
        <Note tone="bad" title={t('developers.webhooks.givenUp')}>
          {endpoint.disabledReason}
        </Note>
      )}
      <ErrorNote error={ping.error ?? update.error} />
      {doing === 'edit' && <EndpointDialog endpoint={endpoint} onClose={close} />}
      {doing === 'secret' && (
        <Dialog
          isOpen
          onClose={close}
          title={t('developers.webhooks.rotate')}
          about={t('developers.webhooks.rotateAbout')}
          actions={
            secret ? (
              <Button look="primary" onPress={close}>
                {t('developers.keys.stored')}
              </Button>
            ) : (
              <>
                <Button onPress={close}>{t('everywhere.cancel')}</Button>
                <Button look="primary" onPress={giveSecret}>
                  {t('developers.webhooks.rotate')}
                </Button>
              </>
            )
          }
        >
          {secret && <KeySecret secret={secret} name={t('developers.webhooks.secret')} />}
          <ErrorNote error={rotate.error} />
        </Dialog>
      )}
      {doing === 'delete' && (
        <Dialog
          isOpen
          onClose={close}
          title={t('developers.webhooks.deleteTitle')}
          about={t('developers.webhooks.deleteAbout')}
          actions={
            <>
              <Button onPress={close}>{t('everywhere.cancel')}</Button>
              <Button look="danger" onPress={drop}>
                {t('developers.webhooks.delete')}
              </Button>
            </>
          }
        >
          <ErrorNote error={remove.error} />
        </Dialog>
      )}
    </Panel>
  );
}
