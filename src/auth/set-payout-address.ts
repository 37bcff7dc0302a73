import { type ChainFamily, type Database, type PayoutAddress, transaction } from '../../prisma/client.ts';
import { readPayable } from '../chains/payable-address.ts';
import type { Registry } from '../chains/registry.ts';
import { invalid, notFound } from '../errors.ts';
import { changedFields } from './audit/audit-entry.ts';
import { recordChange } from './audit/record-action.ts';

/**
 * Sets the payout address of an app on all chains of a family. Payments that are already authorized keep their address. Throws
 * VALIDATION_ERROR for an address that cannot be paid on a registered chain of the family, enabled or not, and NOT_FOUND for an app of
 * another merchant.
 */
export async function setPayoutAddress(
  world: { database: Database; registry: Registry },
  request: { scope: { merchantId: string; appId: string }; family: ChainFamily; address: string },
): Promise<PayoutAddress> {
  const { scope, family } = request;
  const { address, fault } = readPayable(world.registry.chains(), { family, text: request.address });
  if (address === null) throw invalid([{ param: 'address', message: fault }]);
  return await transaction(world.database, async (tx) => {
    // Locked, so that each of two concurrent changes records the value that it replaced.
    await tx.$queryRaw`SELECT 1 FROM app WHERE id = ${scope.appId}::uuid FOR UPDATE`;
    const app = await tx.app.findFirst({ where: { id: scope.appId, merchantId: scope.merchantId } });
    if (!app) throw notFound('app', 'appId');
    const where = { appId_family: { appId: app.id, family } };
    const before = await tx.payoutAddress.findUnique({ where });
    const payout = await tx.payoutAddress.upsert({
      where,
      create: { appId: app.id, family, address },
      update: { address },
    });
    const changed = changedFields({ address: before?.address ?? null }, payout, ['address']);
    await recordChange(tx, {
      action: 'payout_address.set',
      owner: { appId: app.id },
      target: { type: 'App', id: app.id },
      changed: changed && { before: { family, ...changed.before }, after: { family, ...changed.after } },
    });
    return payout;
  });
}
