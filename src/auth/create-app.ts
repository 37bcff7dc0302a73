import type { App, Database } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import { newId } from '../platform/identifier.ts';

/** Makes an app with the default settings; its mode is for ever. NOT_FOUND for an unknown merchant. */
export async function createApp(
  world: { database: Database },
  request: { merchantId: string; name: string; mode: 'TEST' | 'LIVE' },
): Promise<App> {
  const merchant = await world.database.merchant.findUnique({ where: { id: request.merchantId } });
  if (!merchant) throw notFound('merchant', 'merchantId');
  return world.database.app.create({
    data: { id: newId(), merchantId: merchant.id, name: request.name, mode: request.mode },
  });
}
