/** The email notifications of the member who is logged in. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  SettingsNotificationsDocument,
  type SettingsNotificationsQuery,
  SettingsUpdateNotificationsDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Checkbox } from '../../../ui/fields/checkbox.tsx';
import { Form } from '../../../ui/fields/form/form.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { languages } from '../../resources/languages.ts';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useAsk } from '../../session/use-ask.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../settings.module.css';

export function NotificationsPanel() {
  const { data, error, refetch } = useAsk(SettingsNotificationsDocument, {});
  if (!data) return error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />;
  return <NotificationsForm settings={data.notificationSettings} />;
}

function NotificationsForm({ settings }: { settings: SettingsNotificationsQuery['notificationSettings'] }) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const update = useApiMutation(SettingsUpdateNotificationsDocument, { changes: [SettingsNotificationsDocument] });
  const [chosen, setChosen] = useState(settings.kinds);
  const [language, setLanguage] = useState(settings.language);
  const send = () => {
    update.mutate(
      { input: { kinds: chosen, language } },
      { onSuccess: () => showToast({ title: t('settings.saved') }) },
    );
  };
  return (
    <Form
      onSend={send}
      isBusy={update.isPending}
      error={update.error}
      className={styles.form}
      actions={
        <div>
          <Button look="primary" type="submit" isBusy={update.isPending} busyWords={t('everywhere.saving')}>
            {t('settings.notifications.save')}
          </Button>
        </div>
      }
    >
      <Panel title={t('settings.parts.notifications')} about={t('settings.notifications.about')}>
        <div className={styles.fields}>
          {settings.availableKinds.map((kind) => (
            <Checkbox
              key={kind}
              label={t(`settings.notifications.${kind}`)}
              isChecked={chosen.includes(kind)}
              onChange={(isOn) => setChosen((all) => (isOn ? [...all, kind] : all.filter((one) => one !== kind)))}
            />
          ))}
          <Select
            label={t('settings.notifications.language')}
            value={language}
            onChange={setLanguage}
            options={languages}
          />
        </div>
      </Panel>
    </Form>
  );
}
