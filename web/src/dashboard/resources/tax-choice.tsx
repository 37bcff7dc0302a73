/** A choice of one of the merchant's tax rates, or none. */
import { useTranslation } from 'react-i18next';
import { ResourceTaxRatesDocument } from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useTaxWords } from './use-tax-words.ts';

type TaxChoiceProps = {
  value: string;
  onChange: (id: string) => void;
  error?: string | undefined;
  hint?: string;
  label?: string;
  /** Replaces the option "No tax" if choosing nothing has another meaning. */
  none?: string;
};

export function TaxChoice({ value, onChange, error, hint, label, none }: TaxChoiceProps) {
  const { t } = useTranslation();
  const { data } = useAsk(ResourceTaxRatesDocument, {});
  const taxWords = useTaxWords();
  return (
    <Select
      label={label ?? t('catalog.tax.choice')}
      hint={hint}
      error={error}
      value={value}
      onChange={onChange}
      options={[
        { value: '', words: none ?? t('catalog.tax.none') },
        ...(data?.taxRates ?? []).map((rate) => ({ value: rate.id, words: taxWords(rate) })),
      ]}
    />
  );
}
