import type { Database, PayoutAddress } from '../../../prisma/client.ts';
import { takesPayment } from '../../chains/chain.ts';
import { findSink } from '../../chains/payable-address.ts';
import type { Registry } from '../../chains/registry.ts';

/** An app's payout address that cannot be paid on an enabled chain. Payments on that chain are not offered. */
export type PayoutFault = Pick<PayoutAddress, 'appId' | 'family' | 'address'> & { chainId: number; fault: string };

const BATCH = 1000;

/** Validates every stored payout address on every enabled chain that takes payments for its app. */
export async function readPayoutFaults({
  database,
  registry,
}: {
  database: Database;
  registry: Registry;
}): Promise<PayoutFault[]> {
  const faults: PayoutFault[] = [];
  for (let batch = await nextBatch(database); batch.length > 0; batch = await nextBatch(database, batch.at(-1))) {
    for (const { appId, family, address, app } of batch) {
      for (const chain of registry.enabled()) {
        if (chain.family !== family || !takesPayment(chain, app.mode)) continue;
        const fault = findSink([chain], { family, address });
        if (fault !== null) faults.push({ appId, family, address, chainId: chain.chainId, fault });
      }
    }
  }
  return faults;
}

async function nextBatch(database: Database, after?: Pick<PayoutAddress, 'appId' | 'family'>) {
  const from = after && { cursor: { appId_family: { appId: after.appId, family: after.family } }, skip: 1 };
  return await database.payoutAddress.findMany({
    ...from,
    include: { app: { select: { mode: true } } },
    orderBy: [{ appId: 'asc' }, { family: 'asc' }],
    take: BATCH,
  });
}
