/** The fields of a metered price: the unit, its price with or without tiers, and the maximum charge per period. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import styles from '../resources/resources.module.css';
import { isAmbiguousQuantity, type MeteringValues, type PriceParam, type TierValues } from './price-values.ts';

const schemes = ['PER_UNIT', 'GRADUATED', 'VOLUME'] as const;
const TIERS_LIMIT = 50;

type MeteringFieldsProps = {
  values: MeteringValues;
  onChange: (values: MeteringValues) => void;
  faultAt: (param: PriceParam) => string | undefined;
};

export function MeteringFields({ values, onChange, faultAt }: MeteringFieldsProps) {
  const { t } = useTranslation();
  const quantityFault = useQuantityFault();
  const change = (part: Partial<MeteringValues>) => onChange({ ...values, ...part });
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label={t('catalog.metering.unit')}
          name="unitName"
          hint={t('catalog.metering.unitHint')}
          value={values.unitName}
          maxLength={50}
          onChange={(event) => change({ unitName: event.target.value })}
          error={faultAt('metering.unitName')}
        />
        <TextField
          label={t('catalog.metering.included')}
          name="includedUnits"
          inputMode="decimal"
          hint={t('catalog.metering.includedHint')}
          value={values.includedUnits}
          onChange={(event) => change({ includedUnits: event.target.value })}
          error={quantityFault(values.includedUnits) ?? faultAt('metering.includedUnits')}
        />
      </div>
      <Select
        label={t('catalog.metering.scheme')}
        value={values.scheme}
        onChange={(scheme) => change({ scheme })}
        options={schemes.map((value) => ({ value, words: t(`catalog.metering.${value}`) }))}
        error={faultAt('metering.tiers')}
      />
      {values.scheme === 'PER_UNIT' ? (
        <TextField
          label={t('catalog.metering.unitAmount')}
          name="unitAmount"
          inputMode="decimal"
          hint={t('catalog.metering.unitAmountHint')}
          value={values.unitAmount}
          onChange={(event) => change({ unitAmount: event.target.value })}
          error={faultAt('metering.unitAmount')}
        />
      ) : (
        <TierFields tiers={values.tiers} onChange={(tiers) => change({ tiers })} />
      )}
      <TextField
        label={t('catalog.metering.cap')}
        name="capAmount"
        inputMode="decimal"
        hint={t('catalog.metering.capHint')}
        value={values.capAmount}
        onChange={(event) => change({ capAmount: event.target.value })}
        error={faultAt('metering.capAmount')}
      />
    </>
  );
}

function TierFields({ tiers, onChange }: { tiers: TierValues[]; onChange: (tiers: TierValues[]) => void }) {
  const { t } = useTranslation();
  const quantityFault = useQuantityFault();
  const change = (key: number, part: Partial<TierValues>) =>
    onChange(tiers.map((tier) => (tier.key === key ? { ...tier, ...part } : tier)));
  const nextKey = tiers.reduce((most, { key }) => Math.max(most, key), 0) + 1;
  return (
    <>
      {tiers.map((tier, index) => {
        const isLast = index === tiers.length - 1;
        const of = t('catalog.metering.tier', { number: index + 1 });
        return (
          <fieldset key={tier.key} className={styles.form}>
            <legend>{of}</legend>
            <div className={styles.pair}>
              {!isLast && (
                <TextField
                  label={t('catalog.metering.upTo')}
                  inputMode="decimal"
                  value={tier.upTo}
                  onChange={(event) => change(tier.key, { upTo: event.target.value })}
                  error={quantityFault(tier.upTo)}
                />
              )}
              <TextField
                label={t('catalog.metering.unitAmount')}
                inputMode="decimal"
                value={tier.unitAmount}
                onChange={(event) => change(tier.key, { unitAmount: event.target.value })}
              />
              <TextField
                label={t('catalog.metering.flat')}
                inputMode="decimal"
                value={tier.flatAmount}
                onChange={(event) => change(tier.key, { flatAmount: event.target.value })}
              />
            </div>
            {tiers.length > 1 && (
              <Button look="bare" size="small" onPress={() => onChange(tiers.filter(({ key }) => key !== tier.key))}>
                {t('catalog.metering.remove', { tier: of })}
              </Button>
            )}
          </fieldset>
        );
      })}
      {tiers.length < TIERS_LIMIT && (
        <Button onPress={() => onChange([...tiers, { key: nextKey, upTo: '', unitAmount: '', flatAmount: '' }])}>
          {t('catalog.metering.add')}
        </Button>
      )}
    </>
  );
}

function useQuantityFault(): (quantity: string) => string | undefined {
  const { t } = useTranslation();
  return (quantity) => (isAmbiguousQuantity(quantity) ? t('catalog.metering.separators') : undefined);
}
