import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import { notFound } from '../../errors.ts';
import type { PayeeApp } from './x402-world.ts';

/** The app that is paid, with its payout addresses. Throws NOT_FOUND for another merchant's. */
export async function requirePayeeApp(
  database: Database | DatabaseTransaction,
  scope: { merchantId: string; appId: string },
): Promise<PayeeApp> {
  const app = await database.app.findFirst({
    where: { id: scope.appId, merchantId: scope.merchantId },
    include: { payoutAddresses: true },
  });
  if (!app) throw notFound('app');
  return app;
}
