/**
 * Metering: how the usage of a metered price becomes an amount. The units of a period beyond the included ones are billable.
 *
 * - PER_UNIT: each billable unit costs `unitAmount`.
 * - GRADUATED: each billable unit costs the price of the tier that contains it.
 * - VOLUME: all billable units cost the price of the tier that contains the last of them.
 *
 * A tier contains the units above the previous tier's `upTo`, up to and including its own. A flat amount is added once for each
 * tier that applies. All arithmetic is exact, in integers; the amount of a period is rounded once, half up, to the minor unit.
 */
import { z } from 'zod';
import { fiatPattern } from '../prices/money.ts';

export const meteringSchemes = ['PER_UNIT', 'GRADUATED', 'VOLUME'] as const;
export type MeteringScheme = (typeof meteringSchemes)[number];

/** Decimals of quantities and of unit amounts. */
const DIGITS = 12;
const ONE = 10n ** BigInt(DIGITS);
/** A quantity times a unit amount has twice the decimals; a minor unit in this scale. */
const MINOR_UNIT = 10n ** BigInt(2 * DIGITS - 2);
const TIERS_LIMIT = 50;
const UNIT_NAME_LIMIT = 50;
/** The largest amount that an invoice line can hold, in minor units. */
const LARGEST_AMOUNT = 10n ** 14n - 1n;

const decimalPattern = /^(0|[1-9]\d{0,11})(\.\d{1,12})?$/;
const decimalWords = 'plain digits, at most 12 before and 12 after the point';
const isPositive = (text: string) => /[1-9]/.test(text);

/** A quantity of units: more than zero, at most 12 integer digits and 12 decimals. */
export const meteredQuantitySchema = z
  .string()
  .regex(decimalPattern, decimalWords)
  .refine((text) => !decimalPattern.test(text) || isPositive(text), 'more than zero');

const unitAmount = z.string().regex(decimalPattern, decimalWords);
const flatAmount = z.string().regex(fiatPattern, 'plain digits, at most 12 before and 2 after the point');
const capAmount = flatAmount.refine(isPositive, 'more than zero');

const tierSchema = z.object({ upTo: meteredQuantitySchema.nullish(), unitAmount, flatAmount: flatAmount.nullish() });

export const meteringSchema = z
  .object({
    scheme: z.enum(meteringSchemes),
    unitName: z
      .string()
      .min(1, `between 1 and ${UNIT_NAME_LIMIT} characters`)
      .max(UNIT_NAME_LIMIT, `between 1 and ${UNIT_NAME_LIMIT} characters`),
    includedUnits: z.string().regex(decimalPattern, decimalWords).nullish(),
    unitAmount: unitAmount.nullish(),
    tiers: z.array(tierSchema).max(TIERS_LIMIT, `at most ${TIERS_LIMIT} tiers`).nullish(),
    capAmount,
  })
  .superRefine((input, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const tiers = input.tiers ?? [];
    if (input.scheme === 'PER_UNIT') {
      if (!input.unitAmount) fault(['unitAmount'], 'is required with PER_UNIT');
      if (tiers.length > 0) fault(['tiers'], 'cannot be combined with PER_UNIT');
      return;
    }
    if (input.unitAmount) fault(['unitAmount'], 'is sent only with PER_UNIT');
    if (tiers.length === 0) fault(['tiers'], `at least one tier with ${input.scheme}`);
    tiers.forEach(({ upTo }, index) => {
      const isLast = index === tiers.length - 1;
      if (isLast && upTo) fault(['tiers', index, 'upTo'], 'null for the last tier, which has no end');
      if (!isLast && !upTo) fault(['tiers', index, 'upTo'], 'is required for all tiers but the last');
      const previous = tiers[index - 1]?.upTo;
      if (upTo && previous && scaled(upTo) <= scaled(previous)) {
        fault(['tiers', index, 'upTo'], `more than the ${previous} of the tier before`);
      }
    });
  });
export type MeteringInput = z.infer<typeof meteringSchema>;

/** A price's metering as it is stored; all figures are decimal strings. */
export type Metering = {
  scheme: MeteringScheme;
  unitName: string;
  includedUnits: string;
  /** Null unless the scheme is PER_UNIT. */
  unitAmount: string | null;
  /** Empty if the scheme is PER_UNIT. */
  tiers: MeteringTier[];
  /** The maximum charge for a period, including tax, which the payer sees and signs. */
  capAmount: string;
};

export type MeteringTier = { upTo: string | null; unitAmount: string; flatAmount: string | null };

export function meteringOf(input: MeteringInput): Metering {
  return {
    scheme: input.scheme,
    unitName: input.unitName,
    includedUnits: input.includedUnits ?? '0',
    unitAmount: input.unitAmount ?? null,
    tiers: (input.tiers ?? []).map((tier) => ({
      upTo: tier.upTo ?? null,
      unitAmount: tier.unitAmount,
      flatAmount: tier.flatAmount ?? null,
    })),
    capAmount: input.capAmount,
  };
}

const storedTier = z.object({ upTo: z.string().nullable(), unitAmount: z.string(), flatAmount: z.string().nullable() });
const stored = z.object({
  scheme: z.enum(meteringSchemes),
  unitName: z.string(),
  includedUnits: z.string(),
  unitAmount: z.string().nullable(),
  tiers: z.array(storedTier),
  capAmount: z.string(),
});

/** The metering in a price's column; null for a fixed price. */
export function storedMetering(column: unknown): Metering | null {
  return column === null || column === undefined ? null : stored.parse(column);
}

/** The units of one tier and what they cost each. */
export type TierUsage = MeteringTier & { quantity: string };

export type MeteredAmount = {
  /** Rounded half up to the minor unit, with 2 decimals. */
  amount: string;
  billableUnits: string;
  /** The tiers that apply, with the billable units in them. */
  tiers: TierUsage[];
};

/** What a quantity of a period costs. Throws RangeError for an amount beyond what an invoice can hold. */
export function meteredAmount(metering: Metering, quantity: string): MeteredAmount {
  const over = scaled(quantity) - scaled(metering.includedUnits);
  const billable = over > 0n ? over : 0n;
  const applied = appliedTiers(metering, billable);
  const exact = applied.reduce(
    (sum, { units, tier }) => sum + units * scaled(tier.unitAmount) + scaled(tier.flatAmount ?? '0') * ONE,
    0n,
  );
  const minor = (exact + MINOR_UNIT / 2n) / MINOR_UNIT;
  if (minor > LARGEST_AMOUNT) throw new RangeError(`The usage of ${quantity} ${metering.unitName} costs too much.`);
  return {
    amount: printed(minor, 2, 2),
    billableUnits: printQuantity(billable),
    tiers: applied.map(({ units, tier }) => ({ ...tier, quantity: printQuantity(units) })),
  };
}

function appliedTiers(metering: Metering, billable: bigint): { units: bigint; tier: MeteringTier }[] {
  if (billable === 0n) return [];
  const { tiers } = metering;
  if (metering.scheme === 'PER_UNIT') {
    const tier = { upTo: null, unitAmount: metering.unitAmount ?? '0', flatAmount: null };
    return [{ units: billable, tier }];
  }
  if (metering.scheme === 'VOLUME') {
    const tier = tiers.find(({ upTo }) => upTo === null || billable <= scaled(upTo));
    return tier ? [{ units: billable, tier }] : [];
  }
  let below = 0n;
  return tiers.flatMap((tier) => {
    const end = tier.upTo === null ? billable : least(billable, scaled(tier.upTo));
    const units = end - below;
    below = end > below ? end : below;
    return units > 0n ? [{ units, tier }] : [];
  });
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** A decimal string in units of 10⁻¹². */
export function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DIGITS, '0').slice(0, DIGITS));
}

/** A count of 10⁻¹² as a decimal string without trailing zeros. */
export function printQuantity(units: bigint): string {
  return printed(units, DIGITS, 0);
}

function printed(figure: bigint, digits: number, least: number): string {
  const text = figure.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '').padEnd(least, '0');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}
