/** The settings of a payment link as a list. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { LinkDetailQuery } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Time } from '../../ui/state/time.tsx';
import { useCouponWords } from '../coupons/use-coupon-words.ts';
import { Facts } from '../resources/facts.tsx';
import { ChainWords, TokenWords } from '../resources/selection-words.tsx';
import { readSelection } from '../resources/selections.ts';
import { useTaxWords } from '../resources/use-tax-words.ts';
import { LinkStock } from './link-stock.tsx';
import { useLinkPrice } from './use-link-price.ts';

export function LinkFacts({ link }: { link: NonNullable<LinkDetailQuery['paymentLink']> }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const linkPrice = useLinkPrice();
  const taxWords = useTaxWords();
  const couponWords = useCouponWords();
  const { chains, tokens } = readSelection(link);
  return (
    <Facts
      facts={[
        {
          key: 'takes',
          name: t('links.takes'),
          value: link.productPlan ? (
            <Link href={`/plans/${link.productPlan.id}`}>{linkPrice(link)}</Link>
          ) : (
            linkPrice(link)
          ),
        },
        {
          key: 'tax',
          name: t('catalog.tax.choice'),
          value: link.taxRate
            ? taxWords(link.taxRate)
            : link.productPlan
              ? t('links.taxOfPlan')
              : t('catalog.tax.none'),
        },
        { key: 'description', name: t('catalog.description'), value: link.description },
        { key: 'used', name: t('links.used'), value: t('links.usedTimes', { count: link.usageCount }) },
        {
          key: 'quantity',
          name: t('links.quantity'),
          value:
            link.maximumQuantity > link.minimumQuantity
              ? t('links.quantityRange', { least: link.minimumQuantity, most: link.maximumQuantity })
              : formats.count(link.minimumQuantity),
        },
        {
          key: 'coupon',
          name: t('links.coupon.choice'),
          value: link.coupon ? `${link.coupon.name} · ${couponWords(link.coupon)}` : t('links.coupon.none'),
        },
        { key: 'stock', name: t('links.stock'), value: <LinkStock link={link} /> },
        {
          key: 'billing',
          name: t('links.billingShort'),
          value: link.requireBillingDetails ? t('links.asked') : t('links.notAsked'),
        },
        { key: 'chains', name: t('catalog.choice.chains'), value: <ChainWords chosen={chains} /> },
        { key: 'tokens', name: t('catalog.choice.tokens'), value: <TokenWords chosen={tokens} /> },
        { key: 'success', name: t('links.successUrl'), value: link.successUrl },
        { key: 'cancel', name: t('links.cancelUrl'), value: link.cancelUrl },
        { key: 'created', name: t('catalog.created'), value: formats.absolute(new Date(link.createdAt)) },
        { key: 'changed', name: t('catalog.changed'), value: <Time at={link.updatedAt} /> },
      ]}
    />
  );
}
