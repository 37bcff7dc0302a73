/** The currencies for prices, links and invoices. */
export const currencies = ['USD', 'EUR'] as const;
export type Currency = (typeof currencies)[number];
