/** Sums of the books by currency: fiat as decimals and tokens in base units, never as numbers. */
import { Decimal as DecimalOfTwenty } from 'decimal.js';
import type { OverviewPageQuery } from '../../../../generated/web/documents.ts';

/** The library's default precision of 20 digits would round. */
const Decimal = DecimalOfTwenty.clone({ precision: 80 });

export type Books = OverviewPageQuery['overview']['books'];
export type Gas = OverviewPageQuery['overview']['gas'];
export const bookParts = ['received', 'held', 'settled', 'returned', 'fees', 'undelivered'] as const;
export type BookPart = (typeof bookParts)[number];

export type PartSum = { part: BookPart; value: string; tokens: { tokenKey: string; units: string }[] };

/** One sum for each part, with its tokens, for payments in `currency`. `undelivered` is included only if it is not zero. */
export function sumBooks(books: Books, currency: string): PartSum[] {
  const own = books.filter((book) => book.currency === currency);
  const sums = bookParts.map((part) => ({
    part,
    value: own.reduce((sum, book) => sum.plus(book[part].value), new Decimal(0)).toFixed(2),
    tokens: own.flatMap((book) =>
      BigInt(book[part].units) === 0n ? [] : { tokenKey: book.tokenKey, units: book[part].units },
    ),
  }));
  return sums.filter(({ part, tokens }) => part !== 'undelivered' || tokens.length > 0);
}
