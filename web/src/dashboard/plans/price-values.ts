/** The values of the price form as texts, and their conversion to the input of the API. */
import type { CreateProductPlanPriceInput, MeteringInput } from '../../../../generated/web/documents.ts';
import type { Currency } from '../resources/currencies.ts';

type Interval = NonNullable<CreateProductPlanPriceInput['billingInterval']>;

export type PriceValues = {
  amount: string;
  currency: Currency;
  billingInterval: Interval;
  billingIntervalCount: string;
  trialPeriodDays: string;
  nickname: string;
  priceType: 'FIXED' | 'METERED';
  metering: MeteringValues;
};

/** A tier in the form. `key` identifies it while the form is open. */
export type TierValues = { key: number; upTo: string; unitAmount: string; flatAmount: string };

export type MeteringValues = {
  scheme: 'PER_UNIT' | 'GRADUATED' | 'VOLUME';
  unitName: string;
  includedUnits: string;
  unitAmount: string;
  capAmount: string;
  tiers: TierValues[];
};

/** The metering fields of the API for which the form shows faults next to its own fields. */
export const meteringParams = [
  'metering.unitName',
  'metering.includedUnits',
  'metering.unitAmount',
  'metering.tiers',
  'metering.capAmount',
] as const;
export type PriceParam = Exclude<keyof PriceValues, 'metering' | 'priceType'> | (typeof meteringParams)[number];

export const newPrice: PriceValues = {
  amount: '',
  currency: 'USD',
  billingInterval: 'MONTH',
  billingIntervalCount: '1',
  trialPeriodDays: '',
  nickname: '',
  priceType: 'FIXED',
  metering: {
    scheme: 'PER_UNIT',
    unitName: '',
    includedUnits: '',
    unitAmount: '',
    capAmount: '',
    tiers: [
      { key: 0, upTo: '', unitAmount: '', flatAmount: '' },
      { key: 1, upTo: '', unitAmount: '', flatAmount: '' },
    ],
  },
};

/** An amount is sent as written, with a comma replaced by a point. Invalid counts are sent as 0, which the API refuses with its limits. */
export function priceInput(values: PriceValues, planType: 'ONE_TIME' | 'SUBSCRIPTION'): CreateProductPlanPriceInput {
  const { amount, currency, billingInterval, billingIntervalCount, trialPeriodDays, nickname } = values;
  const named = nickname.trim() === '' ? {} : { nickname: nickname.trim() };
  const price = { amount: plainAmount(amount), currency, ...named };
  if (planType === 'ONE_TIME') return price;
  const trial = trialPeriodDays.trim() === '' ? {} : { trialPeriodDays: wholeNumber(trialPeriodDays, -1) };
  const often = { billingInterval, billingIntervalCount: wholeNumber(billingIntervalCount, 0), ...trial };
  if (values.priceType === 'FIXED') return { ...price, ...often };
  return { ...price, ...often, priceType: 'METERED', metering: meteringInput(values.metering) };
}

/** The last tier has no upper limit, regardless of its field. */
function meteringInput(values: MeteringValues): MeteringInput {
  const { scheme, unitName, includedUnits, unitAmount, capAmount, tiers } = values;
  const included = includedUnits.trim() === '' ? {} : { includedUnits: plainAmount(includedUnits) };
  const common = { scheme, unitName: unitName.trim(), ...included, capAmount: plainAmount(capAmount) };
  if (scheme === 'PER_UNIT') return { ...common, unitAmount: plainAmount(unitAmount) };
  return {
    ...common,
    tiers: tiers.map((tier, index) => ({
      upTo: index === tiers.length - 1 || tier.upTo.trim() === '' ? null : plainAmount(tier.upTo),
      unitAmount: plainAmount(tier.unitAmount),
      flatAmount: tier.flatAmount.trim() === '' ? null : plainAmount(tier.flatAmount),
    })),
  };
}

/**
 * Whether a quantity could be read in two ways: `1,000` is a thousand with thousands separators, and 1 with three decimals. It is refused
 * rather than guessed, because the price of a unit cannot be changed later.
 */
export function isAmbiguousQuantity(text: string): boolean {
  return /^[1-9]\d{0,2}([.,]\d{3})+$/.test(text.trim());
}

/** Whether a quantity that would be sent is ambiguous. */
export function hasAmbiguousQuantity(values: PriceValues, planType: 'ONE_TIME' | 'SUBSCRIPTION'): boolean {
  if (planType === 'ONE_TIME' || values.priceType === 'FIXED') return false;
  const { scheme, includedUnits, tiers } = values.metering;
  const limits = scheme === 'PER_UNIT' ? [] : tiers.slice(0, -1).map(({ upTo }) => upTo);
  return [includedUnits, ...limits].some(isAmbiguousQuantity);
}

/** Normalizes an amount of money: `12,50` and ` 12.50` become `12.50`. */
export function plainAmount(text: string): string {
  return text.trim().replace(',', '.');
}

/** Parses a count, never an amount of money. Returns `wrong` if it is invalid. */
export function wholeNumber(text: string, wrong: number): number {
  const digits = text.trim();
  return /^\d{1,10}$/.test(digits) ? Number(digits) : wrong;
}

/** Parses an optional count; an empty text is null. An invalid count becomes -1, which the API refuses. */
export function countOrNull(text: string): number | null {
  return text.trim() === '' ? null : wholeNumber(text, -1);
}
