/** The amount and the interval of a price as text: "12.00 USD every 3 months". */
import { useTranslation } from 'react-i18next';
import type { PriceFactsFragment } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';

type Priced = Pick<
  PriceFactsFragment,
  'amount' | 'currency' | 'billingInterval' | 'billingIntervalCount' | 'priceType'
>;

export function usePriceWords() {
  const { t } = useTranslation();
  const formats = useFormats();
  const intervalWords = (price: Priced): string =>
    price.billingInterval
      ? t(`catalog.every.${price.billingInterval}`, { count: price.billingIntervalCount })
      : t('catalog.once');
  const priceWords = (price: Priced): string =>
    price.priceType === 'METERED' ? t('catalog.metering.plus', { price: fixedWords(price) }) : fixedWords(price);
  const fixedWords = (price: Priced): string =>
    price.billingInterval
      ? t('catalog.priceEvery', { price: formats.fiat(price.amount, price.currency), every: intervalWords(price) })
      : formats.fiat(price.amount, price.currency);
  return { priceWords, intervalWords };
}
