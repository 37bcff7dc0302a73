/** A price as a form holds it, all text, and as the API takes it. */
import type { CreateProductPlanPriceInput } from '../../../../generated/web/documents.ts';
import type { Currency } from '../resources/currencies.ts';

type Interval = NonNullable<CreateProductPlanPriceInput['billingInterval']>;

export type PriceValues = {
  amount: string;
  currency: Currency;
  billingInterval: Interval;
  billingIntervalCount: string;
  trialPeriodDays: string;
  nickname: string;
};

export const newPrice: PriceValues = {
  amount: '',
  currency: 'USD',
  billingInterval: 'MONTH',
  billingIntervalCount: '1',
  trialPeriodDays: '',
  nickname: '',
};

/** An amount goes as it was written, a comma for a point; counts that are none go as 0, which the API refuses with its limits. */
export function priceInput(values: PriceValues, planType: 'ONE_TIME' | 'SUBSCRIPTION'): CreateProductPlanPriceInput {
  const { amount, currency, billingInterval, billingIntervalCount, trialPeriodDays, nickname } = values;
  const named = nickname.trim() === '' ? {} : { nickname: nickname.trim() };
  const price = { amount: plainAmount(amount), currency, ...named };
  if (planType === 'ONE_TIME') return price;
  const trial = trialPeriodDays.trim() === '' ? {} : { trialPeriodDays: wholeNumber(trialPeriodDays, -1) };
  return { ...price, billingInterval, billingIntervalCount: wholeNumber(billingIntervalCount, 0), ...trial };
}

/** What a person writes for money: `12,50` and ` 12.50` are `12.50`. */
export function plainAmount(text: string): string {
  return text.trim().replace(',', '.');
}

/** A count, never money; `wrong` for what is none. */
export function wholeNumber(text: string, wrong: number): number {
  const digits = text.trim();
  return /^\d{1,7}$/.test(digits) ? Number(digits) : wrong;
}
