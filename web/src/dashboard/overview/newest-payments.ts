/** The newest payments from live updates. Each update contains a whole payment, which is sent again with every change. */
import type { OverviewPaymentsSubscription } from '../../../../generated/web/documents.ts';

export type LivePayment = OverviewPaymentsSubscription['paymentIntentsUpdated'];

/** Newest first, at most `most`. Ids are UUIDs of version 7, so they are in the order of creation. */
export function withPayment(shown: readonly LivePayment[], update: LivePayment, most: number): LivePayment[] {
  const others = shown.filter((payment) => payment.id !== update.id);
  return [...others, update].sort((left, right) => (left.id < right.id ? 1 : -1)).slice(0, most);
}
