import { type CustomerWallet, type Database, Prisma } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { addJob } from '../platform/jobs.ts';
import { refreshWalletJob } from './jobs.ts';
import { restoreWallet } from './restore-wallet.ts';
import { walletConflict } from './wallet.ts';

const UNIQUE_VIOLATION = 'P2002';

/**
 * Links an address on one chain to a customer; `walletAddress` is already checksummed. A job then reads its allowances. Subscriptions that
 * lost this wallet when it was unlinked, and whose consent it signed, are charged from it again from the next attempt. Throws NOT_FOUND for
 * the customer, and CONFLICT if the customer already has it.
 */
export async function addCustomerWallet(
  world: { database: Database },
  request: {
    scope: Scope;
    customerId: string;
    chainId: number;
    walletAddress: string;
    idempotency?: IdempotencyRequest;
  },
): Promise<CustomerWallet> {
  const { scope, customerId, chainId, walletAddress } = request;
  try {
    return await idempotently(world.database, request.idempotency, async (write) => {
      const customer = await world.database.customerAccount.findFirst({
        where: { id: customerId, ...appScope(scope) },
      });
      if (!customer) throw notFound('customer');
      return await write(async (tx) => {
        const wallet = await tx.customerWallet.create({
          data: { id: newId(), customerAccountId: customer.id, chainId, walletAddress },
        });
        await restoreWallet(tx, wallet);
        await addJob(tx, refreshWalletJob, { chainId, walletAddress });
        return wallet;
      });
    });
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === UNIQUE_VIOLATION)
      throw walletConflict();
    throw error;
  }
}
