/** A tax rate as text: "VAT · 19 % included". */
import { useTranslation } from 'react-i18next';

type Rate = { displayName: string; percentage: number; inclusive: boolean };

export function useTaxWords(): (rate: Rate) => string {
  const { t, i18n } = useTranslation();
  return ({ displayName, percentage, inclusive }) => {
    const percent = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 4 }).format(percentage);
    return t(inclusive ? 'catalog.tax.included' : 'catalog.tax.added', { name: displayName, percent });
  };
}
