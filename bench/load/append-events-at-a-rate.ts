import { type Database, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';

/**
 * Appends events to the intents in turn, as the gateway does, and starts `perSecond` of them each second. `externalId` and the event's
 * `number` count from 1. Returns the commit time of each event by number, in milliseconds on this process's clock.
 */
export async function appendEventsAtARate(
  database: Database,
  request: { appId: string; intentIds: readonly string[]; count: number; perSecond: number },
): Promise<Map<number, number>> {
  const startedAt = Date.now();
  const committedAt = new Map<number, number>();
  const running: Promise<unknown>[] = [];
  for (let number = 1; number <= request.count; number += 1) {
    const waitMs = startedAt + (number * 1000) / request.perSecond - Date.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const id = request.intentIds[number % request.intentIds.length] ?? '';
    const committed = append(database, { appId: request.appId, id, number });
    running.push(committed.then(() => committedAt.set(number, Date.now())));
  }
  await Promise.all(running);
  return committedAt;
}

function append(database: Database, { appId, id, number }: { appId: string; id: string; number: number }) {
  return transaction(database, async (tx) => {
    await tx.paymentIntent.update({ where: { id }, data: { externalId: String(number) } });
    await appendEvents(tx, appId, [{ type: 'payment_intent.pending', resourceId: id, data: { id, number } }]);
  });
}
