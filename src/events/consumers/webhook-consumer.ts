import type { Database } from '../../../prisma/client.ts';
import { type Consumer, NOTHING } from './consumer.ts';
import { queueNext } from './store.ts';

/** Queues a delivery of each event to each endpoint subscribed to it; `onQueued` is called when there are new ones. */
export function webhookConsumer({ database, onQueued }: { database: Database; onQueued?: () => void }): Consumer {
  return {
    name: 'webhooks',
    async turn(appId) {
      const queued = await queueNext(database, 'webhooks', appId);
      if (!queued) return NOTHING;
      if (queued.deliveries > 0) onQueued?.();
      return { hasMore: queued.hasMore, advanced: true };
    },
  };
}
