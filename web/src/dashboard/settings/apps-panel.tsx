/** The merchant's apps, test and live. Owners can create more. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AppCreateDocument, DashboardViewerDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { type DashboardApp, useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';

export function AppsPanel() {
  const { t } = useTranslation();
  const { app, apps, chooseApp, isOwner } = useDashboard();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<DashboardApp>[] = [
    { key: 'name', head: t('settings.general.name'), cell: ({ name }) => name },
    { key: 'mode', head: t('settings.apps.mode'), cell: ({ mode }) => t(`shell.mode.${mode}`) },
    { key: 'id', head: t('settings.general.id'), isWide: true, cell: ({ id }) => <code>{id}</code> },
    {
      key: 'choose',
      head: <span className="visually-hidden">{t('settings.apps.choose')}</span>,
      align: 'end',
      cell: ({ id, name }) =>
        id === app.id ? (
          <span className={styles.self}>{t('settings.apps.chosen')}</span>
        ) : (
          <Button size="small" onPress={() => chooseApp(id)} aria-label={t('settings.apps.chooseOf', { name })}>
            {t('settings.apps.choose')}
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title={t('settings.parts.apps')}
      about={t('settings.apps.about')}
      actions={
        isOwner && (
          <Button icon="plus" onPress={() => setMaking(true)}>
            {t('settings.apps.make')}
          </Button>
        )
      }
    >
      <Table caption={t('settings.parts.apps')} columns={columns} rows={apps} rowKey={({ id }) => id} />
      {isMaking && <MakeDialog close={() => setMaking(false)} />}
    </Panel>
  );
}

function MakeDialog({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const { chooseApp } = useDashboard();
  const showToast = useToasts();
  const make = useApiMutation(AppCreateDocument, { changes: [DashboardViewerDocument] });
  const [name, setName] = useState('');
  const [mode, setMode] = useState<'TEST' | 'LIVE'>('TEST');
  const send = () => {
    make.mutate(
      { name: name.trim(), mode },
      {
        onSuccess: ({ createApp }) => {
          showToast({ title: t('settings.apps.made', { name: createApp.name }) });
          chooseApp(createApp.id);
          close();
        },
      },
    );
  };
  return (
    <FormDialog
      title={t('settings.apps.make')}
      about={t('settings.apps.makeAbout')}
      action={t('settings.apps.make')}
      onClose={close}
      onSend={send}
      isBusy={make.isPending}
      isDisabled={!name.trim()}
      error={make.error}
    >
      <TextField
        label={t('settings.general.name')}
        name="name"
        value={name}
        maxLength={255}
        onChange={(event) => setName(event.target.value)}
      />
      <Select
        label={t('settings.apps.mode')}
        value={mode}
        onChange={setMode}
        options={(['TEST', 'LIVE'] as const).map((one) => ({ value: one, words: t(`settings.apps.${one}`) }))}
      />
    </FormDialog>
  );
}
