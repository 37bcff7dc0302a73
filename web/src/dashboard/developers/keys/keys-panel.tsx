/** Creates, rotates and revokes the app's keys. A key is shown once, in the response that created it. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type DeveloperKeyFragment,
  DeveloperKeysDocument,
  DeveloperRevokeKeyDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
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
import { CreateKey } from './create-key.tsx';
import { keyState } from './key-state.ts';
import { RotateKey } from './rotate-key.tsx';

type Doing = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: DeveloperKeyFragment };

export function KeysPanel() {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const { data, error, isPending, refetch } = useAsk(DeveloperKeysDocument, { appId: app.id });
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const keys = data?.app?.apiKeys ?? [];
  const now = new Date();
  return (
    <Panel
      title={t('developers.keys.title')}
      about={t('developers.keys.about')}
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onPress={() => setDoing({ kind: 'create' })}>
            {t('developers.keys.create')}
          </Button>
        )
      }
    >
      <ErrorNote error={error} retry={refetch} />
      <Table
        caption={t('developers.keys.title')}
        rows={keys}
        rowKey={(key) => key.id}
        isLoading={isPending}
        columns={[
          {
            key: 'name',
            head: t('developers.keys.name'),
            cell: (key) => (
              <span className={styles.stack}>
                <span>{key.name ?? t(`developers.keys.kinds.${key.kind}`)}</span>
                <code>{key.prefix}…</code>
                <KeyRestrictions apiKey={key} />
              </span>
            ),
          },
          {
            key: 'kind',
            head: t('developers.keys.kind'),
            cell: (key) => t(`developers.keys.kinds.${key.kind}`),
            isWide: true,
          },
          {
            key: 'state',
            isCorner: true,
            head: t('developers.keys.state'),
            cell: (key) => <KeyState apiKey={key} now={now} />,
          },
          {
            key: 'used',
            head: t('developers.keys.lastUsed'),
            cell: (key) => (key.lastUsedAt ? <Time at={key.lastUsedAt} /> : t('developers.never')),
            isWide: true,
          },
          { key: 'made', head: t('developers.created'), cell: (key) => <Time at={key.createdAt} />, isWide: true },
          {
            key: 'actions',
            head: <span className="visually-hidden">{t('developers.actions')}</span>,
            align: 'end',
            cell: (key) =>
              mayWrite &&
              keyState(key, now) !== 'ENDED' && (
                <span className={styles.buttons}>
                  <Button size="small" onPress={() => setDoing({ kind: 'rotate', key })}>
                    {t('developers.keys.rotate')}
                  </Button>
                  <Button size="small" look="danger" onPress={() => setDoing({ kind: 'revoke', key })}>
                    {t('developers.keys.revoke')}
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {doing?.kind === 'create' && <CreateKey onClose={close} />}
      {doing?.kind === 'rotate' && <RotateKey apiKey={doing.key} onClose={close} />}
      {doing?.kind === 'revoke' && <RevokeKey apiKey={doing.key} onClose={close} />}
    </Panel>
  );
}

function KeyRestrictions({ apiKey: { scopes, allowedNetworks } }: { apiKey: DeveloperKeyFragment }) {
  const { t } = useTranslation();
  const parts = [
    ...(scopes ? [scopes.map((scope) => t(`developers.keys.scopes.${scope}`)).join(', ')] : []),
    ...(allowedNetworks ? [t('developers.keys.from', { networks: allowedNetworks.join(', ') })] : []),
  ];
  return parts.length > 0 && <span className={styles.restrictions}>{parts.join(' · ')}</span>;
}

function KeyState({ apiKey, now }: { apiKey: DeveloperKeyFragment; now: Date }) {
  const { t } = useTranslation();
  const state = keyState(apiKey, now);
  const tone = state === 'ACTIVE' ? 'good' : state === 'ENDING' ? 'wait' : 'quiet';
  return (
    <Status status={state} tone={tone}>
      {t(`developers.keys.states.${state}`)}
      {state === 'ENDING' && apiKey.expiresAt && (
        <>
          {' '}
          <Time at={apiKey.expiresAt} />
        </>
      )}
    </Status>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: DeveloperKeyFragment; onClose: () => void }) {
  const { t } = useTranslation();
  const { mutateAsync, error } = useApiMutation(DeveloperRevokeKeyDocument, { changes: [DeveloperKeysDocument] });
  const revoke = () => mutateAsync({ id: apiKey.id }).then(onClose, () => {});
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('developers.keys.revokeTitle', { name: apiKey.name ?? apiKey.prefix })}
      about={t('developers.keys.revokeAbout')}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button look="danger" onPress={revoke}>
            {t('developers.keys.revoke')}
          </Button>
        </>
      }
    >
      <ErrorNote error={error} />
    </Dialog>
  );
}
