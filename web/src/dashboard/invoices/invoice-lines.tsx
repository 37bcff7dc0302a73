/** The lines of a new invoice. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { TaxChoice } from '../resources/tax-choice.tsx';
import { type LineValues, newLine } from './invoice-values.ts';
import styles from './invoices.module.css';

/** The maximum number of lines that the API accepts. */
const MOST_LINES = 100;

type InvoiceLinesProps = {
  lines: readonly LineValues[];
  onChange: (lines: readonly LineValues[]) => void;
  /** Returns the fault of a field such as `items[0].amount`. */
  faultAt: (param: string) => string | undefined;
};

export function InvoiceLines({ lines, onChange, faultAt }: InvoiceLinesProps) {
  const { t } = useTranslation();
  const set = (key: string, part: Partial<LineValues>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...part } : line)));
  return (
    <div className={styles.lines}>
      {lines.map((line, index) => (
        <fieldset key={line.key} className={styles.line}>
          <legend className="visually-hidden">{t('invoices.line', { number: index + 1 })}</legend>
          <TextField
            label={t('invoices.what')}
            name={`items[${index}].description`}
            value={line.description}
            maxLength={500}
            onChange={(event) => set(line.key, { description: event.target.value })}
            error={faultAt(`items[${index}].description`)}
          />
          <TextField
            label={t('invoices.quantity')}
            name={`items[${index}].quantity`}
            inputMode="numeric"
            value={line.quantity}
            onChange={(event) => set(line.key, { quantity: event.target.value })}
            error={faultAt(`items[${index}].quantity`)}
          />
          <TextField
            label={t('invoices.unitPrice')}
            name={`items[${index}].amount`}
            inputMode="decimal"
            value={line.amount}
            onChange={(event) => set(line.key, { amount: event.target.value })}
            error={faultAt(`items[${index}].amount`)}
          />
          <TaxChoice
            label={t('invoices.lineTax')}
            none={t('invoices.lineTaxNone')}
            value={line.taxRateId}
            onChange={(taxRateId) => set(line.key, { taxRateId })}
            error={faultAt(`items[${index}].taxRateId`)}
          />
          <Button
            look="bare"
            icon="cross"
            className={styles.remove}
            aria-label={t('invoices.removeLine', { number: index + 1 })}
            isDisabled={lines.length === 1}
            onPress={() => onChange(lines.filter(({ key }) => key !== line.key))}
          />
        </fieldset>
      ))}
      <div>
        <Button
          size="small"
          icon="plus"
          isDisabled={lines.length >= MOST_LINES}
          onPress={() => onChange([...lines, newLine()])}
        >
          {t('invoices.addLine')}
        </Button>
      </div>
    </div>
  );
}
