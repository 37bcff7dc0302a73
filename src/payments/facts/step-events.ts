import type { Dispute, PaymentIntent } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import type { EventType } from '../../events/event-type.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { disputeFields } from '../disputes/dispute-fields.ts';
import { type PaymentFact, stepType } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { finalityOf } from './finality.ts';

/** The events of one new step, with the intent, and the dispute if there is one, as they are right after it. */
export function stepEvents(
  view: ChainView,
  step: { fact: PaymentFact; intent: PaymentIntent; dispute: Dispute | null },
): NewEvent[] {
  const { fact, intent, dispute } = step;
  const finality = finalityOf(view, fact.blockNumber);
  const ofIntent = (type: EventType): NewEvent => ({
    type,
    resourceId: intent.id,
    data: paymentIntentFields(intent),
    finality,
  });
  const ofDispute = (type: EventType): NewEvent[] =>
    dispute ? [{ type, resourceId: dispute.id, data: disputeFields(dispute), finality }] : [];
  const type = stepType(fact.event);
  switch (type) {
    case 'AUTHORIZE':
      return [ofIntent('payment_intent.authorized')];
    case 'CAPTURE':
      return [ofIntent('payment_intent.captured')];
    case 'VOID':
    case 'RECLAIM':
      // The failure of the capture has been reported already; returning its hold changes no status.
      return intent.status === 'FAILED' ? [] : [ofIntent('payment_intent.cancelled')];
    case 'REFUND':
      if (fact.event.left > 0n) return [ofIntent('payment_intent.partially_refunded')];
      return [...ofDispute('dispute.resolved'), ofIntent('payment_intent.refunded')];
    case 'SETTLE':
      return [ofIntent('payment_intent.settled')];
    case 'DISPUTE':
      return ofDispute('dispute.opened');
    case 'RESOLVE':
      return [
        ...ofDispute('dispute.resolved'),
        ofIntent(intent.status === 'REFUNDED' ? 'payment_intent.refunded' : 'payment_intent.settled'),
      ];
    default:
      throw new Error(`No such step: ${String(type satisfies never)}`);
  }
}
