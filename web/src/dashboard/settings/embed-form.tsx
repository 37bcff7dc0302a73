/** The origins of the pages that may embed the checkout in a frame. */
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

export function EmbedForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error, faultOf } = useSave();
  const [text, setText] = useState(app.embedOrigins.join('\n'));
  const origins = text.split(/[\s,]+/).filter(Boolean);
  const send = (event: FormEvent) => {
    event.preventDefault();
    save({ embedOrigins: origins });
  };
  const faults = origins.flatMap((origin, index) => {
    const fault = faultOf(`embedOrigins[${index}]`);
    return fault === undefined ? [] : [`${origin}: ${fault}`];
  });
  return (
    <form onSubmit={send} className={styles.form} noValidate>
      <Panel title={t('settings.embed.title')} about={t('settings.embed.about')}>
        <TextArea
          label={t('settings.embed.origins')}
          hint={
            app.mode === 'TEST'
              ? `${t('settings.embed.hint')} ${t('settings.embed.testHint')}`
              : t('settings.embed.hint')
          }
          error={faultOf('embedOrigins') ?? faults[0]}
          rows={4}
          spellCheck={false}
          autoCapitalize="off"
          placeholder="https://shop.example"
          value={text}
          disabled={!mayWrite}
          onChange={(event) => setText(event.target.value)}
        />
        <ErrorNote error={faults.length > 0 ? null : error} />
      </Panel>
      {mayWrite && (
        <div>
          <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
            {t('settings.embed.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
