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
      const others = paid.filter(({ transactionId }) => transactionId === null);
      if (others.length < paid.length) await hooks.onGasPaid?.(database, paid);
      await noteGasCosts(database, others);
    },
  };
}

/** Writes one row per transfer, which replaces what was recorded for it before. */
async function noteGasCosts(database: Database, paid: readonly GasPaid[]): Promise<void> {
  const noted = paid.flatMap(({ outgoingId, purpose, wei, usd }) => {
    const authorizationId = authorizationOf(purpose);
    return authorizationId === null ? [] : [{ outgoingId, authorizationId, wei, usd }];
  });
  if (noted.length === 0) return;
  await database.$executeRaw`
    INSERT INTO exact_gas_cost (outgoing_id, authorization_id, gas_cost_wei, gas_cost_usd)
    SELECT noted.outgoing_id, exact.id, noted.wei, noted.usd
    FROM unnest(${noted.map((one) => one.outgoingId)}::uuid[], ${noted.map((one) => one.authorizationId)}::uuid[],
      ${noted.map((one) => one.wei.toString())}::numeric[], ${noted.map((one) => one.usd?.toFixed() ?? null)}::numeric[])
      AS noted (outgoing_id, authorization_id, wei, usd)
    JOIN exact_authorization exact ON exact.id = noted.authorization_id
    ON CONFLICT (outgoing_id) DO UPDATE SET gas_cost_wei = excluded.gas_cost_wei, gas_cost_usd = excluded.gas_cost_usd`;
}
