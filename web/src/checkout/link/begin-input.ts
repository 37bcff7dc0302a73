/** Which questions a link has, and the payer's answers as the API takes them. Pure. */

const billingFields = ['email', 'name', 'address', 'postalCode', 'city', 'state', 'country'] as const;
export type BillingField = (typeof billingFields)[number];

export type LinkAsks = {
  amount: string | null | undefined;
  currency: string | null | undefined;
  requireBillingDetails: boolean;
  requireEmail: boolean;
};

export type Said = { amount: string; currency: string; details: Partial<Record<BillingField, string>> };

export function beginQuestions(link: LinkAsks): {
  asksAmount: boolean;
  asksCurrency: boolean;
  fields: { field: BillingField; isRequired: boolean }[];
} {
  const asksAmount = !link.amount;
  const all = billingFields.map((field) => ({ field, isRequired: field !== 'state' }));
  const email = all.filter(({ field }) => field === 'email');
  return {
    asksAmount,
    asksCurrency: asksAmount && !link.currency,
    fields: link.requireBillingDetails ? all : link.requireEmail ? email : [],
  };
}

/** A decimal comma is taken as a point: the API knows points only. What is empty is not sent. */
export function beginInput(link: LinkAsks, said: Said) {
  const { asksAmount, asksCurrency, fields } = beginQuestions(link);
  const details = Object.fromEntries(
    fields.flatMap(({ field }) => {
      const value = said.details[field]?.trim();
      return value ? [[field, value]] : [];
    }),
  );
  return {
    ...(asksAmount ? { amount: said.amount.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2') } : {}),
    ...(asksCurrency ? { currency: said.currency } : {}),
    ...(fields.length > 0 ? { billingDetails: details } : {}),
  };
}
