import type { Database } from '../../../prisma/client.ts';
import type { Consumer } from '../../../src/events/consumers/consumer.ts';
import { reactionConsumer } from '../../../src/events/consumers/reaction-consumer.ts';
import { pairsBehind } from '../../../src/events/consumers/store.ts';
import { webhookConsumer } from '../../../src/events/consumers/webhook-consumer.ts';
import type { Reactions } from '../../../src/events/react.ts';
import { silentLog } from '../../../src/platform/log.ts';

/** Both consumers. The returned function handles every pending event, and returns whether there were any. */
export function openConsumers({ database, reactions }: { database: Database; reactions: Reactions }) {
  const consumers: Consumer[] = [
    webhookConsumer({ database }),
    reactionConsumer({ database, reactions, log: silentLog }),
  ];
  return async (): Promise<boolean> => {
    let handled = false;
    for (;;) {
      const pairs = await pairsBehind(database);
      if (pairs.length === 0) return handled;
      for (const { consumer, appId } of pairs) {
        const turn = await consumers.find(({ name }) => name === consumer)?.turn(appId);
        if (turn?.retryMs !== undefined) throw new Error(`The consumer ${consumer} failed for an event of ${appId}.`);
        if (!turn?.advanced) return handled;
        handled = true;
      }
    }
  };
}
