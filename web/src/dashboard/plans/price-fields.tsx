/** The fields of a price: its amount and its interval. */
import { useTranslation } from 'react-i18next';
import type { CreateProductPlanPriceInput } from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { CurrencyChoice } from '../resources/currency-choice.tsx';
import styles from '../resources/resources.module.css';
import { useDashboard } from '../session/use-dashboard.ts';
import { MeteringFields } from './metering-fields.tsx';
import type { PriceParam, PriceValues } from './price-values.ts';

type Interval = NonNullable<CreateProductPlanPriceInput['billingInterval']>;

type PriceFieldsProps = {
  planType: 'ONE_TIME' | 'SUBSCRIPTION';
  values: PriceValues;
  onChange: (part: Partial<PriceValues>) => void;
  /** Returns the fault of the API field with this name. */
  faultAt: (param: PriceParam) => string | undefined;
};

export function PriceFields({ planType, values, onChange, faultAt }: PriceFieldsProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const intervals: Interval[] = [...(app.mode === 'TEST' ? (['MINUTE'] as const) : []), 'DAY', 'WEEK', 'MONTH', 'YEAR'];
  const isMetered = planType === 'SUBSCRIPTION' && values.priceType === 'METERED';
  return (
    <>
      {planType === 'SUBSCRIPTION' && (
        <Select
          label={t('catalog.metering.type')}
          value={values.priceType}
          onChange={(priceType) => onChange({ priceType })}
          options={[
            { value: 'FIXED', words: t('catalog.metering.FIXED') },
            { value: 'METERED', words: t('catalog.metering.METERED') },
          ]}
        />
      )}
      <div className={styles.pair}>
        <TextField
          label={isMetered ? t('catalog.metering.base') : t('catalog.price.amount')}
          name="amount"
          inputMode="decimal"
          hint={isMetered ? t('catalog.metering.baseHint') : t('catalog.price.amountHint')}
          value={values.amount}
          onChange={(event) => onChange({ amount: event.target.value })}
          error={faultAt('amount')}
        />
        <CurrencyChoice
          value={values.currency}
          onChange={(currency) => onChange({ currency })}
          error={faultAt('currency')}
        />
      </div>
      {isMetered && (
        <MeteringFields values={values.metering} onChange={(metering) => onChange({ metering })} faultAt={faultAt} />
      )}
      {planType === 'SUBSCRIPTION' && (
        <>
          <div className={styles.pair}>
            <TextField
              label={t('catalog.price.count')}
              name="billingIntervalCount"
              inputMode="numeric"
              hint={t('catalog.price.countHint')}
              value={values.billingIntervalCount}
              onChange={(event) => onChange({ billingIntervalCount: event.target.value })}
              error={faultAt('billingIntervalCount')}
            />
            <Select
              label={t('catalog.price.interval')}
              value={values.billingInterval}
              onChange={(billingInterval) => onChange({ billingInterval })}
              options={intervals.map((value) => ({ value, words: t(`catalog.interval.${value}`) }))}
              error={faultAt('billingInterval')}
            />
          </div>
          <TextField
            label={t('catalog.price.trial')}
            name="trialPeriodDays"
            inputMode="numeric"
            hint={t('catalog.price.trialHint')}
            value={values.trialPeriodDays}
            onChange={(event) => onChange({ trialPeriodDays: event.target.value })}
            error={faultAt('trialPeriodDays')}
          />
        </>
      )}
      <TextField
        label={t('catalog.price.nickname')}
        name="nickname"
        hint={t('catalog.price.nicknameHint')}
        value={values.nickname}
        maxLength={255}
        onChange={(event) => onChange({ nickname: event.target.value })}
        error={faultAt('nickname')}
      />
    </>
  );
}
