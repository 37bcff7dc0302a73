/** The questions of a link, and the payer's answers in the format of the API. Pure. */

const billingFields = ['email', 'name', 'address', 'postalCode', 'city', 'state', 'country'] as const;
export type BillingField = (typeof billingFields)[number];

export type LinkAsks = {
  amount: string | null | undefined;
  currency: string | null | undefined;
  requireBillingDetails: boolean;
  requireEmail: boolean;
  allowCouponCodes: boolean;
  minimumQuantity: number;
  maximumQuantity: number;
  /** Null if the stock is unlimited. */
  availableQuantity: number | null | undefined;
};

export type Entered = {
  amount: string;
  currency: string;
  quantity: string;
  couponCode: string;
  details: Partial<Record<BillingField, string>>;
};

export function beginQuestions(link: LinkAsks): {
  asksAmount: boolean;
  asksCurrency: boolean;
  asksQuantity: boolean;
  asksCoupon: boolean;
  /** Whether a payer must press the button, because beginning holds units that others then cannot buy. */
  isLimited: boolean;
  fields: { field: BillingField; isRequired: boolean }[];
} {
  const asksAmount = !link.amount;
  const all = billingFields.map((field) => ({ field, isRequired: field !== 'state' }));
  const email = all.filter(({ field }) => field === 'email');
  return {
    asksAmount,
    asksCurrency: asksAmount && !link.currency,
    asksQuantity: link.maximumQuantity > link.minimumQuantity,
    asksCoupon: link.allowCouponCodes,
    isLimited: typeof link.availableQuantity === 'number',
    fields: link.requireBillingDetails ? all : link.requireEmail ? email : [],
  };
}

/** The quantity that a payer typed; null if it is not a whole number within the limits of the link. */
export function typedQuantity(link: LinkAsks, text: string): number | null {
  const typed = text.trim();
  if (!/^\d{1,7}$/.test(typed)) return null;
  const quantity = Number(typed);
  return quantity >= link.minimumQuantity && quantity <= link.maximumQuantity ? quantity : null;
}

/** Whether fewer units are left than the minimum quantity. */
export function isSoldOut(link: LinkAsks): boolean {
  return typeof link.availableQuantity === 'number' && link.availableQuantity < link.minimumQuantity;
}

/** A decimal comma becomes a point, because the API accepts points only. Empty values are not sent. */
export function beginInput(link: LinkAsks, entered: Entered) {
  const { asksAmount, asksCurrency, asksQuantity, asksCoupon, fields } = beginQuestions(link);
  const details = Object.fromEntries(
    fields.flatMap(({ field }) => {
      const value = entered.details[field]?.trim();
      return value ? [[field, value]] : [];
    }),
  );
  return {
    ...(asksAmount ? { amount: entered.amount.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2') } : {}),
    ...(asksCurrency ? { currency: entered.currency } : {}),
    ...(asksQuantity ? { quantity: Number(entered.quantity.trim()) } : {}),
    ...(asksCoupon && entered.couponCode.trim() ? { couponCode: entered.couponCode.trim() } : {}),
    ...(fields.length > 0 ? { billingDetails: details } : {}),
  };
}
