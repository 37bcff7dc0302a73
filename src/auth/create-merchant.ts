import { type Database, type Merchant, transaction } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { recordAction } from './audit/record-action.ts';

/** Creates a merchant without apps or members. */
export function createMerchant(world: { database: Database }, request: { name: string }): Promise<Merchant> {
  return transaction(world.database, async (tx) => {
    const merchant = await tx.merchant.create({ data: { id: newId(), name: request.name } });
    await recordAction(tx, {
      action: 'merchant.created',
      owner: { merchantId: merchant.id },
      target: { type: 'Merchant', id: merchant.id },
      after: { name: merchant.name },
    });
    return merchant;
  });
}
