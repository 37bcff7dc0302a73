/** The values of the payment link form, and their conversion to the input of the API. */
import type { CreatePaymentLinkInput, LinkDetailQuery } from '../../../../generated/web/documents.ts';
import { countOrNull, plainAmount } from '../plans/price-values.ts';
import type { Currency } from '../resources/currencies.ts';
import { everything, readSelection, type Selection } from '../resources/selections.ts';

/** The kind of price: a fixed amount, a plan's price, or an amount that the payer chooses. */
export type LinkPricing = 'amount' | 'price' | 'open';

export type LinkValues = {
  name: string;
  slug: string;
  description: string;
  pricing: LinkPricing;
  amount: string;
  currency: Currency;
  productPlanId: string;
  productPlanPriceId: string;
  taxRateId: string;
  minimumQuantity: string;
  maximumQuantity: string;
  /** Empty for an unlimited stock. */
  stock: string;
  couponId: string;
  allowCouponCodes: boolean;
  requireBillingDetails: boolean;
  successUrl: string;
  cancelUrl: string;
  selection: Selection;
};

export const newLink: LinkValues = {
  name: '',
  slug: '',
  description: '',
  pricing: 'amount',
  amount: '',
  currency: 'USD',
  productPlanId: '',
  productPlanPriceId: '',
  taxRateId: '',
  minimumQuantity: '1',
  maximumQuantity: '1',
  stock: '',
  couponId: '',
  allowCouponCodes: false,
  requireBillingDetails: false,
  successUrl: '',
  cancelUrl: '',
  selection: everything,
};

export function linkValues(link: LinkDetailQuery['paymentLink']): LinkValues {
  return {
    name: link.name,
    slug: link.slug,
    description: link.description ?? '',
    pricing: link.productPlanPrice || link.productPlan ? 'price' : link.amount ? 'amount' : 'open',
    amount: link.amount ?? '',
    currency: link.currency === 'EUR' ? 'EUR' : 'USD',
    productPlanId: link.productPlan?.id ?? '',
    productPlanPriceId: link.productPlanPrice?.id ?? '',
    taxRateId: link.taxRate?.id ?? '',
    minimumQuantity: String(link.minimumQuantity),
    maximumQuantity: String(link.maximumQuantity),
    stock: link.stock === null || link.stock === undefined ? '' : String(link.stock),
    couponId: link.coupon?.id ?? '',
    allowCouponCodes: link.allowCouponCodes,
    requireBillingDetails: link.requireBillingDetails,
    successUrl: link.successUrl ?? '',
    cancelUrl: link.cancelUrl ?? '',
    selection: readSelection(link),
  };
}

/** The fields that creating and updating have in common. An empty field is cleared. */
export function linkInput(values: LinkValues): Omit<CreatePaymentLinkInput, 'appId'> {
  const { pricing, selection } = values;
  const orNull = (text: string) => text.trim() || null;
  return {
    name: values.name.trim(),
    slug: values.slug.trim(),
    description: orNull(values.description),
    amount: pricing === 'amount' ? plainAmount(values.amount) : null,
    currency: pricing === 'price' ? null : values.currency,
    productPlanId: pricing === 'price' ? orNull(values.productPlanId) : null,
    productPlanPriceId: pricing === 'price' ? orNull(values.productPlanPriceId) : null,
    taxRateId: orNull(values.taxRateId),
    minimumQuantity: countOrNull(values.minimumQuantity),
    maximumQuantity: countOrNull(values.maximumQuantity),
    stock: countOrNull(values.stock),
    couponId: orNull(values.couponId),
    allowCouponCodes: values.allowCouponCodes,
    requireBillingDetails: values.requireBillingDetails,
    successUrl: orNull(values.successUrl),
    cancelUrl: orNull(values.cancelUrl),
    allowedChains: selection.chains,
    allowedTokens: selection.tokens,
  };
}

/** Derives a slug from a name: "Große Tasse Kaffee!" becomes `grosse-tasse-kaffee`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '');
}
