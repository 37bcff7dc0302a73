/** The name of an app, and the terms of its future payments. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UpdateAppInput } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { bpsOf, percentOf } from './shares.ts';
import { SpanField } from './span-field.tsx';
import { joinSpan, splitSpan } from './spans.ts';
import { type SettingsOfApp, useSave } from './use-save.ts';

const spans = [
  'timelockDuration',
  'disputeStartDuration',
  'disputeTimeout',
  'captureDeadline',
  'intentExpiry',
  'transferQuoteDuration',
] as const;
const counts = ['subscriptionGraceDays', 'subscriptionCaptureRetries'] as const;

export function GeneralForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const [name, setName] = useState(app.name);
  const [captureMode, setCaptureMode] = useState(app.captureMode);
  const [multiplier, setMultiplier] = useState(app.subscriptionCapMultiplier);
  const [spanValues, setSpans] = useState(() =>
    Object.fromEntries(spans.map((key) => [key, splitSpan(app[key])] as const)),
  );
  const [countValues, setCounts] = useState(() => Object.fromEntries(counts.map((key) => [key, String(app[key])])));
  const [payerShare, setPayerShare] = useState(percentOf(app.disputeTimeoutPayerBps));
  const [isTried, setTried] = useState(false);
  const payerBps = bpsOf(payerShare);

  const spanOf = (key: (typeof spans)[number]) => spanValues[key] ?? splitSpan(app[key]);
  const wrongSpans = spans.filter((key) => joinSpan(spanOf(key).count, spanOf(key).unit) === undefined);
  const wrongCounts = counts.filter((key) => !/^\d{1,6}$/.test(countValues[key]?.trim() ?? ''));
  const faultFor = (key: (typeof spans)[number] | (typeof counts)[number]) =>
    isTried && [...wrongSpans, ...wrongCounts].some((wrong) => wrong === key) ? t('settings.notWhole') : undefined;

  const send = () => {
    setTried(true);
    if (wrongSpans.length > 0 || wrongCounts.length > 0 || payerBps === undefined) return;
    const input: UpdateAppInput = {
      name: name.trim(),
      captureMode,
      disputeTimeoutPayerBps: payerBps,
      subscriptionCapMultiplier: multiplier.trim().replace(',', '.'),
      ...Object.fromEntries(spans.map((key) => [key, joinSpan(spanOf(key).count, spanOf(key).unit)])),
      ...Object.fromEntries(counts.map((key) => [key, Number(countValues[key])])),
    };
    // Only changed fields are sent, because another member may be changing the others.
    const changed = Object.entries(input).filter(([key, value]) => value !== Reflect.get(app, key));
    save(Object.fromEntries(changed));
  };
  const spanField = (key: (typeof spans)[number]) => (
    <SpanField
      key={key}
      label={t(`settings.general.${key}`)}
      hint={t(`settings.general.${key}Hint`)}
      error={faultFor(key)}
      name={key}
      value={spanOf(key)}
      onChange={(span) => setSpans((before) => ({ ...before, [key]: span }))}
      isDisabled={!mayWrite}
    />
  );
  const countField = (key: (typeof counts)[number]) => (
    <TextField
      key={key}
      label={t(`settings.general.${key}`)}
      hint={t(`settings.general.${key}Hint`)}
      error={faultFor(key)}
      name={key}
      inputMode="numeric"
      value={countValues[key] ?? ''}
      disabled={!mayWrite}
      onChange={(event) => setCounts((before) => ({ ...before, [key]: event.target.value }))}
    />
  );

  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.save')}
      </Button>
    </div>
  );

  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.general.app')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.general.name')}
            name="name"
            value={name}
            maxLength={255}
            disabled={!mayWrite}
            onChange={(event) => setName(event.target.value)}
          />
          <AppFacts app={app} />
        </div>
      </Panel>
      <Panel title={t('settings.general.payments')} about={t('settings.general.paymentsAbout')}>
        <div className={styles.fields}>
          <Select
            label={t('settings.general.captureMode')}
            hint={t('settings.general.captureModeHint')}
            name="captureMode"
            value={captureMode}
            onChange={setCaptureMode}
            disabled={!mayWrite}
            options={(['AUTOMATIC', 'MANUAL'] as const).map((mode) => ({
              value: mode,
              words: t(`settings.general.${mode}`),
            }))}
          />
          {spanField('intentExpiry')}
          {spanField('transferQuoteDuration')}
          {spanField('captureDeadline')}
          {spanField('timelockDuration')}
        </div>
      </Panel>
      <Panel title={t('settings.general.disputes')}>
        <div className={styles.fields}>
          {spanField('disputeStartDuration')}
          {spanField('disputeTimeout')}
          <TextField
            label={t('settings.general.disputeTimeoutPayerBps')}
            hint={t('settings.general.disputeTimeoutPayerBpsHint')}
            error={isTried && payerBps === undefined ? t('settings.general.notShare') : undefined}
            name="disputeTimeoutPayerBps"
            inputMode="decimal"
            value={payerShare}
            disabled={!mayWrite}
            onChange={(event) => setPayerShare(event.target.value)}
          />
        </div>
      </Panel>
      <Panel title={t('shell.pages.subscriptions')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.general.subscriptionCapMultiplier')}
            hint={t('settings.general.subscriptionCapMultiplierHint')}
            name="subscriptionCapMultiplier"
            inputMode="decimal"
            value={multiplier}
            disabled={!mayWrite}
            onChange={(event) => setMultiplier(event.target.value)}
          />
          {countField('subscriptionGraceDays')}
          {countField('subscriptionCaptureRetries')}
        </div>
      </Panel>
    </Form>
  );
}

function AppFacts({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t('settings.general.id')}</dt>
        <dd>
          <code>{app.id}</code>
        </dd>
      </div>
      <div>
        <dt>{t('settings.general.fee')}</dt>
        <dd>{t('settings.general.feeOf', { percent: formats.percent(app.platformFeeBps) })}</dd>
      </div>
    </dl>
  );
}
