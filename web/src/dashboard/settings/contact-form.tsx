/** The merchant's contact details, as shown on receipts. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Note } from '../../ui/state/note.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

const fields = [
  { name: 'supportEmail', type: 'email', placeholder: 'help@example.com' },
  { name: 'supportUrl', type: 'url', placeholder: 'https://example.com/help' },
  { name: 'websiteUrl', type: 'url', placeholder: 'https://example.com' },
] as const;
type Name = (typeof fields)[number]['name'];

export function ContactForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const [values, setValues] = useState<Record<Name, string>>({
    supportEmail: app.supportEmail ?? '',
    supportUrl: app.supportUrl ?? '',
    websiteUrl: app.websiteUrl ?? '',
  });
  const isUnreachable = !app.supportEmail && !app.supportUrl;
  const send = () => {
    const filled = (name: Name) => values[name].trim() || null;
    save({
      supportEmail: filled('supportEmail'),
      supportUrl: filled('supportUrl'),
      websiteUrl: filled('websiteUrl'),
    });
  };
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.contact.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.contact.title')} about={t('settings.contact.about')}>
        {isUnreachable && <Note>{t('settings.contact.none')}</Note>}
        <div className={styles.fields}>
          {fields.map(({ name, type, placeholder }) => (
            <TextField
              key={name}
              label={t(`settings.contact.${name}`)}
              name={name}
              type={type}
              placeholder={placeholder}
              value={values[name]}
              disabled={!mayWrite}
              onChange={(event) => setValues((before) => ({ ...before, [name]: event.target.value }))}
            />
          ))}
        </div>
      </Panel>
    </Form>
  );
}
