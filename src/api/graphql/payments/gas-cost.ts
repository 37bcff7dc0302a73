/** The type GasCost: what the installation paid for the gas of a transaction, or of a payment to another server. */
import { Prisma } from '../../../../prisma/client.ts';
import type { Chain } from '../../../chains/chain.ts';
import { builder } from '../server/builder.ts';

export type GasCost = { coin: Chain['native']; wei: Prisma.Decimal; usd: Prisma.Decimal | null };

/** Gas costs fractions of a cent on many chains. */
const USD_DIGITS = 8;

/** Rounded half up, without trailing zeros. */
export function printGasUsd(usd: Prisma.Decimal): string {
  return usd.toDecimalPlaces(USD_DIGITS, Prisma.Decimal.ROUND_HALF_UP).toFixed();
}

export const GasCostRef = builder.objectRef<GasCost>('GasCost').implement({
  description:
    'What this installation paid for the gas of a transaction, or of all transfers of a payment to another server.',
  fields: (t) => ({
    amount: t.field({
      type: 'BaseUnits',
      description: "The cost in base units of the chain's coin. For a transaction that was sent in a batch, its share.",
      resolve: ({ wei }) => wei.toFixed(),
    }),
    coin: t.string({
      description: "Symbol of the chain's coin, such as `ETH`.",
      resolve: ({ coin }) => coin.symbol,
    }),
    decimals: t.int({
      description: 'Number of decimals of the coin, which is 18 for ETH.',
      resolve: ({ coin }) => coin.decimals,
    }),
    amountUsd: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        "The cost in USD at the coin's price when the transaction was confirmed, with at most 8 decimal places, such as `0.0123`. Null if no price was available then.",
      resolve: ({ usd }) => usd && printGasUsd(usd),
    }),
  }),
});
