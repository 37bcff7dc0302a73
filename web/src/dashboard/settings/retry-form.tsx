/** When failed renewals are tried again, and what happens if all attempts fail. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import { readSteps } from './read-steps.ts';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

export function RetryForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const { renewalRetry } = app;
  const [steps, setSteps] = useState(renewalRetry.steps.join(', '));
  const [atEnd, setAtEnd] = useState(renewalRetry.atEnd);
  const [isTried, setTried] = useState(false);
  const read = readSteps(steps);
  const send = () => {
    setTried(true);
    if (read === undefined) return;
    const isSame = read?.join() === renewalRetry.steps.join();
    save({ renewalRetry: { ...(isSame ? {} : { steps: read }), atEnd } });
  };
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.retry.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.retry.title')} about={t('settings.retry.about')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.retry.steps')}
            hint={t('settings.retry.stepsHint')}
            name="renewalRetry.steps"
            error={isTried && read === undefined ? t('settings.retry.wrongSteps') : undefined}
            value={steps}
            disabled={!mayWrite}
            onChange={(event) => setSteps(event.target.value)}
          />
          <Select
            label={t('settings.retry.atEnd')}
            hint={t('settings.retry.atEndHint')}
            value={atEnd}
            onChange={setAtEnd}
            disabled={!mayWrite}
            options={(['CANCEL', 'PAUSE', 'LEAVE_PAST_DUE'] as const).map((value) => ({
              value,
              words: t(`settings.retry.${value}`),
            }))}
          />
        </div>
      </Panel>
    </Form>
  );
}
