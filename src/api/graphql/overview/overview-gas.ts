/** The type OverviewGas: what the gas of payments cost. */
import type { OverviewGas } from '../../../payments/overview/read-overview-gas.ts';
import { printGasUsd } from '../payments/gas-cost.ts';
import { builder } from '../server/builder.ts';

export const OverviewGasRef = builder.objectRef<OverviewGas>('OverviewGas').implement({
  description: 'Cost of the gas that this installation paid for payments.',
  fields: (t) => ({
    costUsd: t.field({
      type: 'Decimal',
      description: 'The sum of the costs in USD, with at most 8 decimal places.',
      resolve: ({ costUsd }) => printGasUsd(costUsd),
    }),
    transactionCount: t.exposeInt('transactionCount', {
      description: 'Number of transactions whose cost is known, whether they succeeded or failed.',
    }),
    unpricedCount: t.exposeInt('unpricedCount', {
      description: "Number of those that `costUsd` does not include, because their coin's price was not available.",
    }),
  }),
});
