/** The origins of the pages that may embed the checkout in a frame. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { useFaultWords } from '../../ui/fields/form/use-faults.ts';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

export function EmbedForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { messageWords } = useFaultWords();
  const { save, isSaving, error } = useSave();
  const [text, setText] = useState(app.embedOrigins.join('\n'));
  // The origins sent last, because the API identifies an invalid one by its index.
  const [sent, setSent] = useState<readonly string[]>([]);
  const send = () => {
    const origins = text.split(/[\s,]+/).filter(Boolean);
    setSent(origins);
    save({ embedOrigins: origins });
  };
  const faults = error?.fault.details ?? [];
  const faulty = sent.flatMap((origin, index) => {
    const fault = faults.find(({ param }) => param === `embedOrigins[${index}]`);
    return fault ? [`${origin}: ${messageWords(fault.message)}`] : [];
  });
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.embed.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.embed.title')} about={t('settings.embed.about')}>
        <TextArea
          label={t('settings.embed.origins')}
          hint={
            app.mode === 'TEST'
              ? `${t('settings.embed.hint')} ${t('settings.embed.testHint')}`
              : t('settings.embed.hint')
          }
          name="embedOrigins"
          error={faulty[0]}
          rows={4}
          spellCheck={false}
          autoCapitalize="off"
          placeholder="https://shop.example"
          value={text}
          disabled={!mayWrite}
          onChange={(event) => setText(event.target.value)}
        />
      </Panel>
    </Form>
  );
}
