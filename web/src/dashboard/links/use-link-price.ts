/** The price of a link as text: its amount, its plan's price, or that the payer chooses the amount. */
import { useTranslation } from 'react-i18next';
import type { LinkListQuery } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { usePriceWords } from '../resources/use-price-words.ts';

type Priced = Pick<LinkListQuery['paymentLinks']['nodes'][number], 'amount' | 'currency' | 'productPlanPrice'> & {
  productPlan?: { name: string } | null;
};

export function useLinkPrice(): (link: Priced) => string {
  const { t } = useTranslation();
  const formats = useFormats();
  const { priceWords } = usePriceWords();
  return ({ amount, currency, productPlan, productPlanPrice }) => {
    if (productPlan && productPlanPrice) return `${productPlan.name} · ${priceWords(productPlanPrice)}`;
    if (productPlan) return productPlan.name;
    if (amount) return formats.fiat(amount, currency ?? 'USD');
    return t('links.payerSays');
  };
}
