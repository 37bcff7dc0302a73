import type { App, Database } from '../../prisma/client.ts';
import { GatewayError, notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { recordAction } from './audit/record-action.ts';

/** Maximum number of apps per merchant, which a list returns in one response. */
export const APPS_LIMIT = 100;

/**
 * Creates an app with the default settings. Its mode cannot be changed later. The platform fee is the highest of the merchant's other apps,
 * so that a merchant cannot avoid it with a new app. Throws NOT_FOUND for an unknown merchant and CONFLICT beyond 100 apps.
 */
export async function createApp(
  world: { database: Database },
  request: { merchantId: string; name: string; mode: 'TEST' | 'LIVE'; idempotency?: IdempotencyRequest | undefined },
): Promise<App> {
  const { merchantId, name, mode, idempotency } = request;
  return await idempotently(world.database, idempotency, (write) =>
    write(async (tx) => {
      const [merchant] = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM merchant WHERE id = ${merchantId}::uuid FOR UPDATE`;
      if (!merchant) throw notFound('merchant', 'merchantId');
      const others = await tx.app.aggregate({ where: { merchantId }, _count: true, _max: { platformFeeBps: true } });
      if (others._count >= APPS_LIMIT) {
        throw new GatewayError('CONFLICT', `The merchant has ${APPS_LIMIT} apps, which is the limit.`);
      }
      const fee = others._max.platformFeeBps;
      const app = await tx.app.create({
        data: { id: newId(), merchantId, name, mode, ...(fee === null ? {} : { platformFeeBps: fee }) },
      });
      await recordAction(tx, {
        action: 'app.created',
        owner: { appId: app.id },
        target: { type: 'App', id: app.id },
        after: { name, mode, platformFeeBps: app.platformFeeBps },
      });
      return app;
    }),
  );
}
