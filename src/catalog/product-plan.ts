/**
 * A product plan and its prices: what a merchant sells, once or by subscription. A plan has at least one price, and exactly one
 * of the active prices is the default. A price in use is archived instead of deleted.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { metadataSchema } from '../platform/metadata.ts';
import { fiatPattern } from '../prices/money.ts';
import { meteringSchema } from './metering.ts';

export const billingIntervals = ['MINUTE', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
const COUNT_LIMIT = 366;
const TRIAL_DAYS_LIMIT = 730;
const PRICES_LIMIT = 50;

/** A positive amount with at most 12 integer digits and 2 decimals, in plain digits without leading zeros. */
export const fiatAmountSchema = z
  .string()
  .regex(fiatPattern, 'plain digits, at most 12 before and 2 after the point')
  .refine((text) => /[1-9]/.test(text), 'more than zero');

export const currencySchema = z.enum(['USD', 'EUR'], { error: 'must be USD or EUR' });

const nickname = z.string().max(255, 'at most 255 characters').nullish();
const sortOrder = z.int().min(0).max(1_000_000);
const billingIntervalCount = z
  .int()
  .min(1, `between 1 and ${COUNT_LIMIT}`)
  .max(COUNT_LIMIT, `between 1 and ${COUNT_LIMIT}`);
const trialPeriodDays = z
  .int()
  .min(0, `between 0 and ${TRIAL_DAYS_LIMIT}`)
  .max(TRIAL_DAYS_LIMIT, `between 0 and ${TRIAL_DAYS_LIMIT}`)
  .nullish();

export const priceTypes = ['FIXED', 'METERED'] as const;
export type PriceType = (typeof priceTypes)[number];

const priceShape = z.object({
  amount: z.string().regex(fiatPattern, 'plain digits, at most 12 before and 2 after the point'),
  currency: currencySchema.nullish(),
  billingInterval: z.enum(billingIntervals).nullish(),
  billingIntervalCount: billingIntervalCount.nullish(),
  trialPeriodDays,
  nickname,
  sortOrder: sortOrder.nullish(),
  isDefault: z.boolean().nullish(),
  priceType: z.enum(priceTypes).nullish(),
  metering: meteringSchema.nullish(),
  metadata: metadataSchema.nullish(),
});

/** The amount of a METERED price is the base fee of a period and may be zero. */
export const createPriceSchema = priceShape
  .superRefine((input, context) => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    const { amount, priceType, metering } = input;
    if (priceType === 'METERED' && !metering) fault(['metering'], 'is required for a METERED price');
    if (priceType === 'FIXED' && metering) fault(['metering'], 'cannot be combined with a FIXED price');
    if (metering && new Decimal(metering.capAmount).lt(amount)) {
      fault(['metering', 'capAmount'], `at least the amount of ${amount}`);
    }
  })
  // Named together with the faults of other fields.
  .refine(hasAmount, { path: ['amount'], error: 'more than zero', when: () => true });
export type CreatePriceInput = z.infer<typeof createPriceSchema>;

/** A price's amount, currency, interval and metering are what was sold, so they cannot be changed. */
export const updatePriceSchema = z.object({
  nickname,
  sortOrder: sortOrder.optional(),
  isDefault: z.literal(true, { error: 'true: another price is made the default instead' }).optional(),
  isActive: z.boolean().optional(),
  trialPeriodDays,
  metadata: metadataSchema.optional(),
});
export type UpdatePriceInput = z.infer<typeof updatePriceSchema>;

function hasAmount(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true;
  const { amount, priceType, metering } = input as Record<string, unknown>;
  const isZero = typeof amount === 'string' && fiatPattern.test(amount) && !/[1-9]/.test(amount);
  return !isZero || priceType === 'METERED' || Boolean(metering);
}

const name = z.string().min(1, 'between 1 and 255 characters').max(255, 'between 1 and 255 characters');
const description = z.string().max(2000, 'at most 2000 characters').nullish();
const imageUrl = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL' })
  .max(2048, 'at most 2048 characters')
  .nullish();

export const createPlanSchema = z.object({
  name,
  description,
  imageUrl,
  planType: z.enum(['ONE_TIME', 'SUBSCRIPTION']).nullish(),
  taxRateId: z.guid().nullish(),
  metadata: metadataSchema.nullish(),
  prices: z.array(createPriceSchema).min(1, 'at least one price').max(PRICES_LIMIT, `at most ${PRICES_LIMIT} prices`),
});
export type CreatePlanInput = z.infer<typeof createPlanSchema>;

export const updatePlanSchema = z.object({
  name: name.optional(),
  description,
  imageUrl,
  taxRateId: z.guid().nullish(),
  isActive: z.boolean().optional(),
  metadata: metadataSchema.optional(),
});
export type UpdatePlanInput = z.infer<typeof updatePlanSchema>;

export type PriceFault = { index: number; field: string; message: string };

/** Errors in a plan's prices as a whole; `index` is the price's position in the list. */
export function priceFaults(
  planType: 'ONE_TIME' | 'SUBSCRIPTION',
  appMode: 'TEST' | 'LIVE',
  prices: readonly CreatePriceInput[],
): PriceFault[] {
  const faults: PriceFault[] = [];
  prices.forEach((price, index) => {
    if (planType === 'SUBSCRIPTION' && !price.billingInterval) {
      faults.push({ index, field: 'billingInterval', message: 'is required for a SUBSCRIPTION plan' });
    }
    if (planType === 'ONE_TIME' && price.billingInterval) {
      faults.push({ index, field: 'billingInterval', message: 'is not allowed for a ONE_TIME plan' });
    }
    if (planType === 'ONE_TIME' && price.metering) {
      faults.push({ index, field: 'metering', message: 'is not allowed for a ONE_TIME plan' });
    }
    if (price.billingInterval === 'MINUTE' && appMode === 'LIVE') {
      faults.push({ index, field: 'billingInterval', message: 'MINUTE is only for apps in TEST mode' });
    }
  });
  return faults;
}

/** The index of the default price: the one marked, or the only one; null if there is not exactly one. */
export function defaultPriceIndex(prices: readonly CreatePriceInput[]): number | null {
  const marked = prices.flatMap((price, index) => (price.isDefault === true ? [index] : []));
  if (marked.length === 1) return marked[0] ?? null;
  return marked.length === 0 && prices.length === 1 ? 0 : null;
}
