/** How payers reach the merchant, as their receipts show it. */
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { fieldFaults } from '../resources/field-faults.ts';
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
  const { byParam, rest } = fieldFaults(
    error,
    fields.map(({ name }) => name),
  );
  const isUnreachable = !app.supportEmail && !app.supportUrl;
  const send = (event: FormEvent) => {
    event.preventDefault();
    const filled = (name: Name) => values[name].trim() || null;
    save({
      supportEmail: filled('supportEmail'),
      supportUrl: filled('supportUrl'),
      websiteUrl: filled('websiteUrl'),
    });
  };
  return (
    <form onSubmit={send} className={styles.form} noValidate>
      <Panel title={t('settings.contact.title')} about={t('settings.contact.about')}>
        {isUnreachable && <Note>{t('settings.contact.none')}</Note>}
        <div className={styles.fields}>
          {fields.map(({ name, type, placeholder }) => (
            <TextField
              key={name}
              label={t(`settings.contact.${name}`)}
              error={byParam.get(name)}
              type={type}
              placeholder={placeholder}
              value={values[name]}
              disabled={!mayWrite}
              onChange={(event) => setValues((before) => ({ ...before, [name]: event.target.value }))}
            />
          ))}
        </div>
        <ErrorNote error={rest} />
      </Panel>
      {mayWrite && (
        <div>
          <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
            {t('settings.contact.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
