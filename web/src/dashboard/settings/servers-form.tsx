/** Whether the app's keys may settle x402 payments to other servers, up to which value, and for which fee. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Button } from '../../ui/button/button.tsx';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { bpsOf, percentOf } from './shares.ts';
import { type SettingsOfApp, useSave } from './use-save.ts';

const limits = ['paymentLimit', 'dailyLimit'] as const;
const LIMIT = /^(0|[1-9]\d{0,8})(\.\d{1,2})?$/;
/** A comma is accepted as a decimal point. */
const plain = (limit: string) => limit.trim().replace(',', '.');
const MOST_FEE_BPS = 1_000;

export function ServersForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const { x402 } = app;
  const [isAllowed, setAllowed] = useState(x402.settlesForOthers);
  const [values, setValues] = useState({ paymentLimit: x402.paymentLimit, dailyLimit: x402.dailyLimit });
  const [fee, setFee] = useState(percentOf(x402.feeBps));
  const [isTried, setTried] = useState(false);
  const wrong = limits.filter((key) => !LIMIT.test(plain(values[key])));
  const feeBps = bpsOf(fee);
  const isFee = feeBps !== undefined && feeBps <= MOST_FEE_BPS;
  const send = () => {
    setTried(true);
    if (wrong.length > 0 || !isFee) return;
    const input = {
      settlesForOthers: isAllowed,
      paymentLimit: plain(values.paymentLimit),
      dailyLimit: plain(values.dailyLimit),
      feeBps,
    };
    // Only changed fields are sent, because another member may be changing the others.
    const changed = Object.entries(input).filter(([key, value]) => value !== Reflect.get(x402, key));
    save({ x402: Object.fromEntries(changed) });
  };
  const limitField = (key: (typeof limits)[number]) => (
    <TextField
      key={key}
      label={t(`settings.servers.${key}`)}
      hint={t(`settings.servers.${key}Hint`)}
      error={isTried && wrong.includes(key) ? t('settings.servers.notAmount') : undefined}
      name={`x402.${key}`}
      inputMode="decimal"
      value={values[key]}
      disabled={!mayWrite}
      onChange={(event) => setValues((before) => ({ ...before, [key]: event.target.value }))}
    />
  );
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.servers.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.servers.title')} about={t('settings.servers.about')}>
        <div className={styles.fields}>
          <div className={styles.across}>
            <Checkbox
              label={t('settings.servers.settlesForOthers')}
              hint={t('settings.servers.settlesForOthersHint')}
              isChecked={isAllowed}
              isDisabled={!mayWrite}
              onChange={setAllowed}
            />
          </div>
          {limits.map(limitField)}
          <TextField
            label={t('settings.servers.feeBps')}
            hint={t('settings.servers.feeBpsHint')}
            error={isTried && !isFee ? t('settings.servers.notFee') : undefined}
            name="x402.feeBps"
            inputMode="decimal"
            value={fee}
            disabled={!mayWrite}
            onChange={(event) => setFee(event.target.value)}
          />
        </div>
        <p>
          <Link href="/payments/servers">{t('settings.servers.list')}</Link>
        </p>
      </Panel>
    </Form>
  );
}
