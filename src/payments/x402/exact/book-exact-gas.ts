import type { Database } from '../../../../prisma/client.ts';
import type { GasPaid } from '../../../operator/mined/gas-cost.ts';
import type { OutgoingHooks } from '../../../operator/sending-world.ts';
import { authorizationOf } from './send-transfer.ts';

/**
 * The hooks of payments, which also record the gas costs of payments to other servers. Their transfers belong to no transaction row. The
 * transfers of payment intents do, and the hooks of payments record their costs there.
 */
export function bookExactGas(hooks: OutgoingHooks): OutgoingHooks {
  return {
    ...hooks,
    bearsGas: (purpose) => authorizationOf(purpose) !== null,
    async onGasPaid(database, paid) {
      const { intents = [], others = [] } = Object.groupBy(paid, (cost) =>
        cost.transactionId === null ? 'others' : 'intents',
      );
      if (intents.length > 0) await hooks.onGasPaid?.(database, intents);
      await recordTransferCosts(database, others);
    },
  };
}

/** Writes one row per transfer, which replaces what was recorded for it before. */
async function recordTransferCosts(database: Database, paid: readonly GasPaid[]): Promise<void> {
  const costs = paid.flatMap(({ outgoingId, purpose, wei, usd }) => {
    const authorizationId = authorizationOf(purpose);
    return authorizationId === null ? [] : [{ outgoingId, authorizationId, wei, usd }];
  });
  if (costs.length === 0) return;
  await database.$executeRaw`
    INSERT INTO exact_gas_cost (outgoing_id, authorization_id, gas_cost_wei, gas_cost_usd)
    SELECT cost.outgoing_id, exact.id, cost.wei, cost.usd
    FROM unnest(${costs.map((one) => one.outgoingId)}::uuid[], ${costs.map((one) => one.authorizationId)}::uuid[],
      ${costs.map((one) => one.wei.toString())}::numeric[], ${costs.map((one) => one.usd?.toFixed() ?? null)}::numeric[])
      AS cost (outgoing_id, authorization_id, wei, usd)
    JOIN exact_authorization exact ON exact.id = cost.authorization_id
    ON CONFLICT (outgoing_id) DO UPDATE SET gas_cost_wei = excluded.gas_cost_wei, gas_cost_usd = excluded.gas_cost_usd`;
}
