import { useTranslation } from 'react-i18next';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import styles from './settings.module.css';
import { type SpanUnit, spanUnits } from './spans.ts';

type Span = { count: string; unit: SpanUnit };
type SpanFieldProps = {
  label: string;
  hint: string;
  error: string | undefined;
  value: Span;
  onChange: (span: Span) => void;
  isDisabled: boolean;
};

export function SpanField({ label, hint, error, value, onChange, isDisabled }: SpanFieldProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.span}>
      <TextField
        label={label}
        hint={hint}
        error={error}
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
  );
}
