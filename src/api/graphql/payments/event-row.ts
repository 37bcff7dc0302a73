import type { Database, PaymentIntent } from '../../../../prisma/client.ts';
import type { SequencedEvent } from '../../../events/store.ts';

/** Rows are kept as long as their event is; every follower of an event shares one read. */
const rows = new WeakMap<SequencedEvent, Promise<PaymentIntent | undefined>>();

/**
 * The intent that an event is about, as it is now. Read once per event for all its followers, who were let in by the
 * event's app; what they select beside the row's own columns is read for each.
 */
export function rowOfEvent(
  world: { database: Database },
  event: SequencedEvent,
  paymentIntentId: string,
): Promise<PaymentIntent | undefined> {
  let row = rows.get(event);
  if (!row) {
    row = world.database.paymentIntent
      .findFirst({ where: { id: paymentIntentId, appId: event.appId } })
      .then((found) => found ?? undefined);
    rows.set(event, row);
  }
  return row;
}
