/** The payout addresses of the app, one for each family of chains. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settings } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Note } from '../../ui/state/note.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

/** The families on which payments are accepted. Sui is supported for balances only. */
const families = ['EVM', 'SOLANA'] as const;
type Family = (typeof families)[number];

export function PayoutForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const known = (family: Family) => app.payoutAddresses.find((one) => one.family === family)?.address ?? '';
  const [values, setValues] = useState<Record<Family, string>>({ EVM: known('EVM'), SOLANA: known('SOLANA') });
  const chainsOf = (family: Family) =>
    settings.chains.filter((chain) => chain.family === family && chain.isTest === (app.mode === 'TEST'));
  // The families sent last, in their order, because the API identifies an invalid address by its index.
  const [sent, setSent] = useState<readonly Family[]>([]);
  // An address for chains that are no longer enabled is still shown.
  const offered = families.filter((family) => chainsOf(family).length > 0 || known(family) !== '');
  const changed = offered.filter((family) => values[family].trim() !== known(family) && values[family].trim() !== '');
  const send = () => {
    setSent(changed);
    save({ payoutAddresses: changed.map((family) => ({ family, address: values[family].trim() })) });
  };
  const actions = mayWrite && (
    <div>
      <Button
        look="primary"
        type="submit"
        isBusy={isSaving}
        isDisabled={changed.length === 0}
        busyWords={t('everywhere.saving')}
      >
        {t('settings.payouts.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.parts.payouts')} about={t('settings.payouts.about')}>
        {app.payoutAddresses.length === 0 && <Note tone="wait">{t('settings.payouts.none')}</Note>}
        {offered.map((family) => (
          <TextField
            key={family}
            label={t(`settings.payouts.${family}`)}
            hint={chainsOf(family)
              .map((chain) => chain.name)
              .join(', ')}
            name={sent.includes(family) ? paramAt(sent.indexOf(family)) : family}
            className={styles.code}
            value={values[family]}
            disabled={!mayWrite}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setValues((before) => ({ ...before, [family]: event.target.value }))}
          />
        ))}
      </Panel>
    </Form>
  );
}

function paramAt(index: number): string {
  return `payoutAddresses[${index}].address`;
}
