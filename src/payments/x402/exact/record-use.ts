import type { DatabaseTransaction } from '../../../../prisma/client.ts';
import { appendEvents } from '../../../events/append-events.ts';
import type { ChainView } from '../../../facts/chain-view.ts';
import { insertLogs } from '../../../facts/store.ts';
import { lockPayment } from '../../actions/lock-payment.ts';
import { finalityOf } from '../../facts/finality.ts';
import { TRANSFERRED } from '../../ledger.ts';
import { paymentIntentFields } from '../../payment-intent-fields.ts';
import { REUSED } from './exact-authorization.ts';
import type { FoundUse } from './find-uses.ts';
import { dropTransfers } from './send-transfer.ts';
import { lockAuthorization } from './store.ts';

/**
 * Added to the index of the log of a nonce that was used for something else, because a payment in the escrow whose id is the nonce may have
 * a fact with that index. No block has as many logs.
 */
const REUSED_INDEX = 1 << 29;

/**
 * Writes the use or cancellation of an authorization to the inbox, and drops the gateway's transfers that are no longer needed. Appends
 * `payment_intent.pending` for the transfer of an intent that waits for it.
 */
export async function recordUse(
  tx: DatabaseTransaction,
  { view, use, blockTimestamp, now }: { view: ChainView; use: FoundUse; blockTimestamp: bigint; now: Date },
): Promise<void> {
  const { authorization: found, kind, blockNumber, blockHash, txHash, logIndex } = use;
  const { id, paymentIntentId } = found;
  const intent = paymentIntentId === null ? null : await lockPayment(tx, { id: paymentIntentId, scope: null });
  const authorization = await lockAuthorization(tx, id);
  const { chainId, paymentKey, token, payer, payTo, amount } = authorization;
  const put = await insertLogs(tx, [
    {
      chainId,
      blockNumber,
      blockHash,
      blockTimestamp,
      txHash,
      logIndex: kind === REUSED ? logIndex + REUSED_INDEX : logIndex,
      address: token,
      kind,
      ref: paymentKey,
      args: { payer, payTo, token, amount: amount.toFixed() },
    },
  ]);
  if (put.length === 0) return;
  await tx.exactAuthorization.update({ where: { id }, data: { txHash, blockNumber, blockHash } });
  await dropTransfers(tx, { authorization, txHash, now });
  if (kind !== TRANSFERRED || intent?.status !== 'CREATED') return;
  await appendEvents(tx, intent.appId, [
    {
      type: 'payment_intent.pending',
      resourceId: intent.id,
      data: paymentIntentFields(intent),
      finality: finalityOf(view, blockNumber),
    },
  ]);
}
