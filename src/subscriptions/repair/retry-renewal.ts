import { transaction } from '../../../prisma/client.ts';
import { requireRunning } from '../consent/due-renewal.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { lockSubscription } from '../store.ts';
import { findFailedInvoice, type RenewalRepair, type RepairWorld, readRepair } from './read-repair.ts';

/**
 * Charges a failed renewal again at once if the payer's wallet can pay it now, and otherwise returns what prevents it. The attempt counts
 * like any other. A repeated call while it is pending changes nothing. Throws INVALID_STATE if the subscription ends in the meantime.
 */
export async function retryRenewal(world: RepairWorld, request: { invoiceId: string }): Promise<RenewalRepair> {
  const invoice = await findFailedInvoice(world, request.invoiceId);
  if (!invoice) return { kind: 'ENDED' };
  const repair = await readRepair(world, invoice);
  if (repair.kind !== 'OPEN' || repair.cause !== null) return repair;
  await transaction(world.database, async (tx) => {
    const { id } = invoice.subscription;
    const subscription = await lockSubscription(tx, id);
    requireRunning(subscription);
    // The period was paid meanwhile.
    if (subscription.currentPeriodEnd?.getTime() !== invoice.subscription.currentPeriodEnd?.getTime()) return;
    const now = world.clock.now();
    const pendingJobId = await scheduleRenewal(tx, { subscriptionId: id, runAt: now });
    await tx.subscription.update({ where: { id }, data: { retryRequestedAt: now, pendingJobId } });
  });
  return { kind: 'UNDER_WAY' };
}
