/** The currencies that prices, links and invoices may be in. */
export const currencies = ['USD', 'EUR'] as const;
export type Currency = (typeof currencies)[number];
