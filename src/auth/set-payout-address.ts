import type { ChainFamily, Database, PayoutAddress } from '../../prisma/client.ts';
import { invalid, notFound } from '../errors.ts';
import { parsePayoutAddress } from './payout-address.ts';

/**
 * Sets where an app is paid on the chains of a family; payments authorized before keep their own address.
 * VALIDATION_ERROR for an address that cannot be paid, NOT_FOUND for an app that is not the merchant's.
 */
export async function setPayoutAddress(
  world: { database: Database },
  request: { scope: { merchantId: string; appId: string }; family: ChainFamily; address: string },
): Promise<PayoutAddress> {
  const { scope, family } = request;
  const address = parsePayoutAddress(family, request.address);
  if (address === null) throw invalid([{ param: 'address', message: `is no ${family} address that can be paid` }]);
  const app = await world.database.app.findFirst({ where: { id: scope.appId, merchantId: scope.merchantId } });
  if (!app) throw notFound('app', 'appId');
  return world.database.payoutAddress.upsert({
    where: { appId_family: { appId: app.id, family } },
    create: { appId: app.id, family, address },
    update: { address },
  });
}
