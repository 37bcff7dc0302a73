import type { Database, Merchant } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';

/** Makes a merchant, who owns nothing yet. */
export function createMerchant(world: { database: Database }, request: { name: string }): Promise<Merchant> {
  return world.database.merchant.create({ data: { id: newId(), name: request.name } });
}
