import { useTranslation } from 'react-i18next';
import { Field } from '../../ui/fields/field.tsx';
import fields from '../../ui/fields/fields.module.css';
import { Select } from '../../ui/fields/select.tsx';
import styles from './settings.module.css';
import { type SpanUnit, spanUnits } from './spans.ts';

type Span = { count: string; unit: SpanUnit };
type SpanFieldProps = {
  label: string;
  hint: string;
  error: string | undefined;
  name: string;
  value: Span;
  onChange: (span: Span) => void;
  isDisabled: boolean;
};

export function SpanField({ label, hint, error, name, value, onChange, isDisabled }: SpanFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={label} hint={hint} error={error} name={name}>
      {(wiring) => (
        <div className={styles.span}>
          <input
            {...wiring}
            className={fields.control}
            inputMode="numeric"
            value={value.count}
            disabled={isDisabled}
            onChange={(event) => onChange({ ...value, count: event.target.value })}
          />
          <Select
            label={t('settings.unitOf', { name: label })}
            isLabelHidden
            value={value.unit}
            disabled={isDisabled}
            onChange={(unit) => onChange({ ...value, unit })}
            options={spanUnits.map((unit) => ({ value: unit, words: t(`settings.units.${unit}`) }))}
          />
        </div>
      )}
    </Field>
  );
}
