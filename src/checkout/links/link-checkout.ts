/** What a payer may submit to a link, and the resulting price. */
import { z } from 'zod';
import { couponCodeSchema } from '../../catalog/coupons/coupon.ts';
import { currencySchema, fiatAmountSchema } from '../../catalog/product-plan.ts';
import type { FieldFault } from '../../errors.ts';
import { linkQuantitySchema } from '../checkout-session.ts';

const text = (limit: number) => z.string().max(limit, `at most ${limit} characters`).nullish();

export const billingDetailsSchema = z.object({
  email: z.email('not an email address').max(255, 'at most 255 characters').nullish(),
  name: text(255),
  address: text(500),
  city: text(255),
  state: text(255),
  country: text(255),
  postalCode: text(50),
  locale: z.enum(['en', 'de'], 'en or de').nullish(),
});
export type BillingDetails = z.infer<typeof billingDetailsSchema>;

export const startLinkCheckoutSchema = z.object({
  amount: fiatAmountSchema.nullish(),
  currency: currencySchema.nullish(),
  quantity: linkQuantitySchema.nullish(),
  couponCode: couponCodeSchema.nullish(),
  billingDetails: billingDetailsSchema.nullish(),
});
export type StartLinkCheckoutInput = z.infer<typeof startLinkCheckoutSchema>;

/** The fields that a link with billing details requires; the state is optional because not every country has states. */
const required = ['email', 'name', 'address', 'city', 'country', 'postalCode'] as const;

/** Errors for missing billing details; empty unless the link requires them. */
export function billingFaults(isRequired: boolean, details: BillingDetails | null | undefined): FieldFault[] {
  if (!isRequired) return [];
  return required
    .filter((field) => !details?.[field]?.trim())
    .map((field) => ({ param: `billingDetails.${field}`, message: 'is required by this link' }));
}

export type LinkPrice = { amount: string; currency: string };

/** The price to pay: the link's amount, its price's, or the payer's if it has neither. */
export function linkPrice(
  link: { amount: string | null; currency: string | null; price: LinkPrice | null },
  input: Pick<StartLinkCheckoutInput, 'amount' | 'currency'>,
): LinkPrice | FieldFault[] {
  const fixed = link.price ?? (link.amount === null ? null : { amount: link.amount, currency: link.currency ?? 'USD' });
  if (fixed === null) {
    if (!input.amount) return [{ param: 'amount', message: 'is required, because the payer chooses it' }];
    const currency = link.currency ?? input.currency ?? 'USD';
    if (input.currency && input.currency !== currency) return [otherCurrency(input.currency, currency)];
    return { amount: input.amount, currency };
  }
  if (input.amount)
    return [{ param: 'amount', message: `is not allowed, because the link has the fixed amount ${fixed.amount}` }];
  if (input.currency && input.currency !== fixed.currency) return [otherCurrency(input.currency, fixed.currency)];
  return fixed;
}

/** The number of units to pay for: the payer's within the limits of the link, or else the minimum. */
export function linkQuantity(
  link: { minimumQuantity: number; maximumQuantity: number },
  given: number | null | undefined,
): number | FieldFault[] {
  const { minimumQuantity: least, maximumQuantity: most } = link;
  const quantity = given ?? least;
  if (quantity >= least && quantity <= most) return quantity;
  const limits = least === most ? `${least}` : `between ${least} and ${most}`;
  return [{ param: 'quantity', message: `is ${quantity}, while the link sells ${limits} at a time` }];
}

function otherCurrency(given: string, wanted: string): FieldFault {
  return { param: 'currency', message: `is ${given}, while the link is in ${wanted}` };
}
