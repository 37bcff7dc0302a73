/** The formatting functions for the viewer's language. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { fiatFigure, quantityFigure, smallFiatFigure, tokenFigure } from './money.ts';
import { absoluteTime, calendarDay, clockTime, relativeTime, spanWords } from './time.ts';

export function useFormats() {
  const { i18n } = useTranslation();
  const language = i18n.language;
  return useMemo(
    () => ({
      fiat: (amount: string, currency: string) => fiatFigure(language, amount, currency),
      smallFiat: (amount: string, currency: string) => smallFiatFigure(language, amount, currency),
      quantity: (quantity: string) => quantityFigure(language, quantity),
      token: (units: bigint | string, decimals: number) => tokenFigure(language, BigInt(units), decimals),
      count: (count: number) => new Intl.NumberFormat(language).format(count),
      /** Formats basis points: 250 is 2.5 %. */
      percent: (bps: number) =>
        new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000),
      relative: (at: Date, now: Date) => relativeTime(language, at, now),
      absolute: (at: Date) => absoluteTime(language, at),
      day: (at: Date) => calendarDay(language, at),
      /** For due dates and billing periods, which are computed in UTC and printed so on invoices and in mails. */
      dayUtc: (at: Date) => calendarDay(language, at, 'UTC'),
      clock: (at: Date) => clockTime(language, at),
      unit: (count: number, unit: 'day' | 'hour' | 'minute' | 'second') =>
        new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
      span: (seconds: number) => spanWords(language, seconds),
      list: (words: readonly string[]) => new Intl.ListFormat(language).format(words),
    }),
    [language],
  );
}
