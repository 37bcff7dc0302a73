import type { Database, PaymentIntent } from '../../../../prisma/client.ts';
import type { SequencedEvent } from '../../../events/store.ts';
import { paymentIntentStatuses } from '../../../payments/payment-intent.ts';

/** Rows are kept as long as their event is; every follower of an event shares one read. */
const rows = new WeakMap<SequencedEvent, Promise<PaymentIntent | undefined>>();

/**
 * The intent that an event is about: as it is now, but in the status that the event tells, so that a follower sees each
 * step though several were taken at once. Read once per event for all its followers, who were let in by the
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
      .then((found) => (found ? { ...found, status: statusTold(event) ?? found.status } : undefined));
    rows.set(event, row);
  }
  return row;
}

function statusTold(event: SequencedEvent): PaymentIntent['status'] | undefined {
  if (!event.type.startsWith('payment_intent.')) return undefined;
  return paymentIntentStatuses.find((status) => status === event.data.status);
}
