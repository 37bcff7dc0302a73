/** A choice of the currency of an amount. */
import { useTranslation } from 'react-i18next';
import { Select } from '../../ui/fields/select.tsx';
import { type Currency, currencies } from './currencies.ts';

type CurrencyChoiceProps = {
  value: Currency;
  onChange: (currency: Currency) => void;
  error: string | undefined;
};

export function CurrencyChoice({ value, onChange, error }: CurrencyChoiceProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t('catalog.price.currency')}
      value={value}
      onChange={onChange}
      options={currencies.map((currency) => ({ value: currency, words: currency }))}
      error={error}
    />
  );
}
