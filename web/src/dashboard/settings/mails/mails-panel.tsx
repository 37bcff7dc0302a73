/** The emails that an app sends to its payers, their previews, and those that could not be sent. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type PayerMailKind,
  SettingsMailsDocument,
  type SettingsMailsQuery,
  SettingsUpdateMailsDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Checkbox } from '../../../ui/fields/checkbox.tsx';
import { Form } from '../../../ui/fields/form/form.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { languages } from '../../resources/languages.ts';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../settings.module.css';
import { FailedMails } from './failed-mails.tsx';

const kinds = [
  { kind: 'RECEIPT', preview: 'receipt' },
  { kind: 'REFUND', preview: 'refund' },
  { kind: 'RENEWAL_REMINDER', preview: 'reminder' },
  { kind: 'RENEWAL_FAILED', preview: 'failure' },
  { kind: 'DISPUTE', preview: 'dispute' },
] as const satisfies readonly { kind: PayerMailKind; preview: keyof SettingsMailsQuery }[];

export function MailsPanel() {
  const { app } = useDashboard();
  const { data, error, refetch } = useAsk(SettingsMailsDocument, { appId: app.id });
  if (!data) return error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />;
  return (
    <div className={styles.form}>
      <MailsForm key={app.id} data={data} />
      <FailedMails mails={data.mails} />
    </div>
  );
}

function MailsForm({ data }: { data: SettingsMailsQuery }) {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const showToast = useToasts();
  const update = useApiMutation(SettingsUpdateMailsDocument, { changes: [SettingsMailsDocument] });
  const [chosen, setChosen] = useState<readonly PayerMailKind[]>(data.mailSettings.kinds);
  const [fromName, setFromName] = useState(data.mailSettings.fromName ?? '');
  const [replyTo, setReplyTo] = useState(data.mailSettings.replyTo ?? '');
  const [language, setLanguage] = useState(data.mailSettings.language);
  const [days, setDays] = useState(String(data.mailSettings.reminderDays));
  const isInteger = /^\d{1,3}$/.test(days.trim());
  const [isTried, setTried] = useState(false);
  const send = () => {
    setTried(true);
    if (!isInteger) return;
    const input = {
      kinds: [...chosen],
      fromName: fromName.trim() || null,
      replyTo: replyTo.trim() || null,
      language,
      reminderDays: Number(days),
    };
    update.mutate({ appId: app.id, input }, { onSuccess: () => showToast({ title: t('settings.saved') }) });
  };
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={update.isPending} busyWords={t('everywhere.saving')}>
        {t('settings.mails.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={update.isPending} error={update.error} className={styles.form} actions={actions}>
      <Panel title={t('settings.mails.kinds')} about={t('settings.mails.about')}>
        <div className={styles.fields}>
          {kinds.map(({ kind, preview }) => (
            <div key={kind}>
              <Checkbox
                label={t(`settings.mails.${kind}`)}
                hint={t(`settings.mails.${kind}Hint`)}
                isChecked={chosen.includes(kind)}
                isDisabled={!mayWrite}
                onChange={(isOn) => setChosen((all) => (isOn ? [...all, kind] : all.filter((one) => one !== kind)))}
              />
              <a
                href={data[preview].url}
                target="_blank"
                rel="noreferrer"
                aria-label={t('settings.mails.previewOf', { name: t(`settings.mails.${kind}`) })}
              >
                {t('settings.mails.preview')}
              </a>
            </div>
          ))}
          <TextField
            label={t('settings.mails.reminderDays')}
            hint={t('settings.mails.reminderDaysHint')}
            name="reminderDays"
            error={isTried && !isInteger ? t('settings.notWhole') : undefined}
            inputMode="numeric"
            value={days}
            disabled={!mayWrite}
            onChange={(event) => setDays(event.target.value)}
          />
        </div>
      </Panel>
      <Panel title={t('settings.mails.sender')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.mails.fromName')}
            hint={t('settings.mails.fromNameHint')}
            name="fromName"
            placeholder={app.name}
            value={fromName}
            maxLength={100}
            disabled={!mayWrite}
            onChange={(event) => setFromName(event.target.value)}
          />
          <TextField
            label={t('settings.mails.replyTo')}
            hint={t('settings.mails.replyToHint')}
            name="replyTo"
            type="email"
            value={replyTo}
            disabled={!mayWrite}
            onChange={(event) => setReplyTo(event.target.value)}
          />
          <Select
            label={t('settings.mails.language')}
            hint={t('settings.mails.languageHint')}
            value={language}
            onChange={setLanguage}
            disabled={!mayWrite}
            options={languages}
          />
        </div>
      </Panel>
    </Form>
  );
}
