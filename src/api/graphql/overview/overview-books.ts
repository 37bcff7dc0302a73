/** The type OverviewBooks: sums of the ledger. */
import type { BookedSum, OverviewBooks } from '../../../payments/overview/read-overview-books.ts';
import { builder } from '../server/builder.ts';

const BookedSumRef = builder.objectRef<BookedSum>('OverviewBookedSum').implement({
  description: 'An amount of a token.',
  fields: (t) => ({
    units: t.field({ type: 'BaseUnits', description: 'Amount in base units.', resolve: ({ units }) => String(units) }),
    value: t.expose('value', {
      type: 'Decimal',
      description:
        'Value in the currency of the payments, at the price of each payment. Two decimals, or up to six if paid API calls have smaller prices.',
    }),
  }),
});

export const OverviewBooksRef = builder.objectRef<OverviewBooks>('OverviewBooks').implement({
  description:
    'Totals of the ledger for payment intents in one token and currency. `received` is the sum of all other amounts, in units and in value.',
  fields: (t) => ({
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    chainId: t.exposeInt('chainId', { description: 'Chain of the token.' }),
    currency: t.exposeString('currency', { description: 'The currency of the values.' }),
    received: t.field({
      type: BookedSumRef,
      description:
        'Amount that payers authorized into escrow, or transferred directly to the merchant for paid API calls.',
      resolve: ({ received }) => received,
    }),
    held: t.field({ type: BookedSumRef, description: 'Amount that is still in escrow.', resolve: ({ held }) => held }),
    settled: t.field({
      type: BookedSumRef,
      description: 'Amount paid out to the merchant.',
      resolve: ({ settled }) => settled,
    }),
    returned: t.field({
      type: BookedSumRef,
      description: 'Amount returned to payers by refunds, partial captures, voids and reclaims.',
      resolve: ({ returned }) => returned,
    }),
    fees: t.field({ type: BookedSumRef, description: 'Platform fees.', resolve: ({ fees }) => fees }),
    undelivered: t.field({
      type: BookedSumRef,
      description: 'Amount that the escrow keeps for recipients that it could not pay.',
      resolve: ({ undelivered }) => undelivered,
    }),
  }),
});
