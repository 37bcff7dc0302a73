import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import type { GasPaid } from '../../operator/mined/gas-cost.ts';
import type { OutgoingOutcome } from '../../operator/outgoing-transaction.ts';
import type { OutgoingHooks } from '../../operator/sending-world.ts';
import type { ActionWorld } from '../actions/action-world.ts';
import { SOLANA_SENDER } from '../actions/payout-order.ts';
import { failTransaction, type RelayFailed } from './fail-transaction.ts';
import { followLanded, reportWaiting } from './waiting-payout.ts';

/** What payments do when the pump has signed a transaction, paid for it, seen it mined or given it up; main passes it to the pump. */
export function paymentOutgoingHooks(
  world: Pick<ActionWorld, 'clock' | 'registry' | 'operator'> & { relayFailed: RelayFailed },
): OutgoingHooks {
  return {
    onSigned: noteHashes,
    async onMined(tx, mined) {
      await noteHashes(tx, mined);
      for (const outgoing of mined) if (outgoing.sender === SOLANA_SENDER) await followLanded(tx, world, outgoing);
    },
    onFailed: (tx, outgoing) => failTransaction(tx, world, outgoing),
    onWaiting: (tx, outgoing) => reportWaiting(tx, world, outgoing),
    onGasPaid: noteGasCosts,
  };
}

/** Records the hashes by which others can follow the transactions; the projector confirms these from its facts. */
async function noteHashes(tx: DatabaseTransaction, outgoing: readonly OutgoingOutcome[]): Promise<void> {
  const noted = outgoing.flatMap(({ transactionId, txHash, gasUsed }) =>
    transactionId === null || txHash === null ? [] : [{ transactionId, txHash, gasUsed }],
  );
  if (noted.length === 0) return;
  await tx.$executeRaw`
    UPDATE transaction SET tx_hash = noted.tx_hash, error = NULL, gas_used = coalesce(noted.gas_used, transaction.gas_used)
    FROM unnest(${noted.map((one) => one.transactionId)}::uuid[], ${noted.map((one) => one.txHash)}::text[],
      ${noted.map((one) => one.gasUsed)}::bigint[]) AS noted (id, tx_hash, gas_used)
    WHERE transaction.id = noted.id AND transaction.status = 'PENDING'`;
}

/** Records what gas cost, whatever the status is: the projector may have confirmed the transaction before. */
async function noteGasCosts(database: Database, paid: readonly GasPaid[]): Promise<void> {
  await database.$executeRaw`
    UPDATE transaction SET gas_cost_wei = paid.wei, gas_cost_usd = paid.usd
    FROM unnest(${paid.map((one) => one.transactionId)}::uuid[], ${paid.map((one) => one.wei.toString())}::numeric[],
      ${paid.map((one) => one.usd?.toFixed() ?? null)}::numeric[]) AS paid (id, wei, usd)
    WHERE transaction.id = paid.id`;
}
