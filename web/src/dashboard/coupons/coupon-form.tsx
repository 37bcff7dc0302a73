/** Creates a coupon, or changes its name and limits. Its discount cannot be changed. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CouponCreateDocument, CouponUpdateDocument } from '../../../../generated/web/documents.ts';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { CurrencyChoice } from '../resources/currency-choice.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import styles from '../resources/resources.module.css';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import {
  type CouponRow,
  type CouponValues,
  couponInput,
  couponLimits,
  couponValues,
  newCoupon,
  readBps,
} from './coupon-values.ts';

const params = [
  'name',
  'code',
  'percentOffBps',
  'amountOff',
  'currency',
  'duration',
  'durationPeriods',
  'maxRedemptions',
  'maxRedemptionsPerCustomer',
  'expiresAt',
] as const;

type Faults = ReturnType<typeof useFaults<(typeof params)[number]>>;
type FieldsProps = { values: CouponValues; set: (part: Partial<CouponValues>) => void; faultAt: Faults['at'] };

export function CouponForm({ coupon, onClose }: { coupon?: CouponRow; onClose: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const showToast = useToasts();
  const [values, setValues] = useState<CouponValues>(() => (coupon ? couponValues(coupon) : newCoupon));
  const [isTried, setTried] = useState(false);
  const create = useApiMutation(CouponCreateDocument);
  const update = useApiMutation(CouponUpdateDocument);
  const faults = useFaults(create.error ?? update.error, params);
  const set = (part: Partial<CouponValues>) => setValues((before) => ({ ...before, ...part }));
  const isBadPercent = !coupon && values.kind === 'percent' && readBps(values.percent) === null;
  const send = () => {
    setTried(true);
    if (isBadPercent) return;
    const onSuccess = () => {
      showToast({ title: t(coupon ? 'catalog.saved' : 'links.coupon.created') });
      onClose();
    };
    if (coupon) update.mutate({ id: coupon.id, input: couponLimits(values) }, { onSuccess });
    else create.mutate({ input: { appId: app.id, ...couponInput(values) } }, { onSuccess });
  };
  return (
    <FormDialog
      title={t(coupon ? 'links.coupon.edit' : 'links.coupon.new')}
      action={t(coupon ? 'everywhere.save' : 'links.coupon.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
    >
      <TextField
        label={t('catalog.name')}
        name="name"
        hint={t('links.coupon.nameHint')}
        value={values.name}
        maxLength={255}
        onChange={(event) => set({ name: event.target.value })}
        error={faults.at('name')}
      />
      {!coupon && (
        <>
          <DiscountFields values={values} set={set} faultAt={faults.at} isBadPercent={isTried && isBadPercent} />
          <DurationFields values={values} set={set} faultAt={faults.at} />
        </>
      )}
      <LimitFields values={values} set={set} faultAt={faults.at} />
    </FormDialog>
  );
}

function DiscountFields({ values, set, faultAt, isBadPercent }: FieldsProps & { isBadPercent: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        label={t('links.coupon.code')}
        name="code"
        hint={t('links.coupon.codeHint')}
        value={values.code}
        maxLength={50}
        spellCheck={false}
        onChange={(event) => set({ code: event.target.value.toUpperCase() })}
        error={faultAt('code')}
      />
      <Select
        label={t('links.coupon.kind')}
        value={values.kind}
        onChange={(kind) => set({ kind })}
        options={[
          { value: 'percent', words: t('links.coupon.percent') },
          { value: 'amount', words: t('links.coupon.amount') },
        ]}
      />
      {values.kind === 'percent' ? (
        <TextField
          label={t('links.coupon.percentLabel')}
          name="percentOff"
          inputMode="decimal"
          hint={t('links.coupon.percentHint')}
          value={values.percent}
          onChange={(event) => set({ percent: event.target.value })}
          error={isBadPercent ? t('links.coupon.notPercent') : faultAt('percentOffBps')}
        />
      ) : (
        <div className={styles.pair}>
          <TextField
            label={t('links.coupon.amountLabel')}
            name="amountOff"
            inputMode="decimal"
            value={values.amount}
            onChange={(event) => set({ amount: event.target.value })}
            error={faultAt('amountOff')}
          />
          <CurrencyChoice
            value={values.currency}
            onChange={(currency) => set({ currency })}
            error={faultAt('currency')}
          />
        </div>
      )}
    </>
  );
}

function DurationFields({ values, set, faultAt }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.pair}>
      <Select
        label={t('links.coupon.duration')}
        value={values.duration}
        onChange={(duration) => set({ duration })}
        error={faultAt('duration')}
        options={[
          { value: 'ONCE', words: t('links.coupon.once') },
          { value: 'REPEATING', words: t('links.coupon.repeating') },
          { value: 'FOREVER', words: t('links.coupon.allPeriods') },
        ]}
      />
      {values.duration === 'REPEATING' && (
        <TextField
          label={t('links.coupon.periods')}
          name="durationPeriods"
          type="number"
          min={1}
          max={1000}
          step={1}
          value={values.durationPeriods}
          onChange={(event) => set({ durationPeriods: event.target.value })}
          error={faultAt('durationPeriods')}
        />
      )}
    </div>
  );
}

function LimitFields({ values, set, faultAt }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.pair}>
        {(['maxRedemptions', 'maxRedemptionsPerCustomer'] as const).map((field) => (
          <TextField
            key={field}
            label={t(field === 'maxRedemptions' ? 'links.coupon.maxRedemptions' : 'links.coupon.maxPerCustomer')}
            name={field}
            type="number"
            min={1}
            step={1}
            hint={t('links.coupon.unlimited')}
            value={values[field]}
            onChange={(event) => set({ [field]: event.target.value })}
            error={faultAt(field)}
          />
        ))}
      </div>
      <TextField
        label={t('links.coupon.expiresAt')}
        name="expiresAt"
        type="datetime-local"
        hint={t('links.coupon.expiresHint')}
        value={values.expiresAt}
        onChange={(event) => set({ expiresAt: event.target.value })}
        error={faultAt('expiresAt')}
      />
    </>
  );
}
