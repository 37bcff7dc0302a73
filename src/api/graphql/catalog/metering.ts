/** The types of a metered price: its scheme, its tiers, and the cost of the units in each tier. */
import type { Metering, MeteringScheme, MeteringTier, TierUsage } from '../../../catalog/metering.ts';
import type { PriceType } from '../../../catalog/product-plan.ts';
import { builder } from '../server/builder.ts';

export const PriceTypeEnum = builder.enumType('PriceType', {
  description: 'Whether a price charges a fixed amount or usage.',
  values: {
    FIXED: { value: 'FIXED', description: 'Charges its amount.' },
    METERED: {
      value: 'METERED',
      description: 'Charges its amount as a base fee, and the usage of the period that has ended.',
    },
  } as const satisfies { [Type in PriceType]: { value: Type; description: string } },
});

export const MeteringSchemeEnum = builder.enumType('MeteringScheme', {
  description: 'How the tiers of a metered price apply to the units of a period.',
  values: {
    PER_UNIT: { value: 'PER_UNIT', description: 'Each unit costs `unitAmount`.' },
    GRADUATED: { value: 'GRADUATED', description: 'Each unit costs the unit amount of the tier that it falls into.' },
    VOLUME: {
      value: 'VOLUME',
      description: 'All units cost the unit amount of the tier that the last unit falls into.',
    },
  } as const satisfies { [Scheme in MeteringScheme]: { value: Scheme; description: string } },
});

const MeteringTierRef = builder.objectRef<MeteringTier>('MeteringTier').implement({
  description: 'A tier of a metered price.',
  fields: (t) => ({
    upTo: t.expose('upTo', {
      type: 'Decimal',
      nullable: true,
      description: 'The last unit of the tier. Null for the last tier.',
    }),
    unitAmount: t.expose('unitAmount', { type: 'Decimal', description: 'The price of a unit, at most 12 decimals.' }),
    flatAmount: t.expose('flatAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'Fixed amount that is added once if the tier applies.',
    }),
  }),
});

export const MeteringRef = builder.objectRef<Metering>('Metering').implement({
  description: 'How the usage of a period is priced. The amount is rounded once, half up, to the minor unit.',
  fields: (t) => ({
    scheme: t.expose('scheme', { type: MeteringSchemeEnum, description: 'How tiers apply.' }),
    unitName: t.exposeString('unitName', { description: 'Name of a unit.' }),
    includedUnits: t.expose('includedUnits', {
      type: 'Decimal',
      description: 'Units of each period that are free. Tiers apply to the units beyond them.',
    }),
    unitAmount: t.expose('unitAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'The price of a unit with PER_UNIT, at most 12 decimals. Null with tiers.',
    }),
    tiers: t.expose('tiers', {
      extensions: { rest: true },
      type: [MeteringTierRef],
      description: 'In ascending order. Empty with PER_UNIT.',
    }),
    capAmount: t.expose('capAmount', {
      type: 'Decimal',
      description: 'The maximum charge for a period, including tax, as the payer signs it.',
    }),
  }),
});

export const TierUsageRef = builder.objectRef<TierUsage>('TierUsage').implement({
  description: 'The units of a period in one tier.',
  fields: (t) => ({
    quantity: t.expose('quantity', { type: 'Decimal', description: 'Units charged in this tier.' }),
    upTo: t.expose('upTo', {
      type: 'Decimal',
      nullable: true,
      description: 'The last unit of the tier. Null for the last tier, and with PER_UNIT.',
    }),
    unitAmount: t.expose('unitAmount', { type: 'Decimal', description: 'Price of a unit.' }),
    flatAmount: t.expose('flatAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'Fixed amount that is added once.',
    }),
  }),
});
