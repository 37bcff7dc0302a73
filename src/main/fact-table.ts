/** Fact kind → handler: what the projector hands to which room, inside its own transaction. */
import type { FactHandlers } from '../facts/fact-handler.ts';
import { schedulePaymentWork } from '../payments/actions/schedule-payment-work.ts';
import type { FoldingWorld } from '../payments/facts/folding-world.ts';
import { paymentFactHandlers } from '../payments/facts/payment-fact-handler.ts';

export function factTable(world: Omit<FoldingWorld, 'hooks'>): FactHandlers {
  return new Map([...paymentFactHandlers({ ...world, hooks: schedulePaymentWork() })]);
}
