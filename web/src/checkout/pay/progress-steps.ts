/** The steps of a payment on its way, in their order, and how far it is: sent, seen with its confirmations, held, taken. */
import type { Stage } from '../steps.ts';

export type ProgressStep = {
  /** Its words are `checkout.progress.<name>`. */
  name: 'sent' | 'seen' | 'confirmed' | 'authorized' | 'custody' | 'captured';
  state: 'done' | 'current' | 'upcoming';
};

export function progressSteps(facts: {
  stage: Stage;
  confirmations: { count: number; of: number } | undefined;
  /** Without an escrow this payment service holds the money itself. */
  isInEscrow: boolean;
  /** Held until the merchant captures it, so that this is not waited for. */
  isHeld: boolean;
}): ProgressStep[] {
  const { stage, confirmations, isInEscrow, isHeld } = facts;
  const names: ProgressStep['name'][] = [
    'sent',
    confirmations ? 'confirmed' : 'seen',
    isInEscrow ? 'authorized' : 'custody',
  ];
  if (!isHeld) names.push('captured');
  const current = stage === 'seen' ? 1 : 0;
  return names.map((name, index) => ({
    name,
    state: index < current ? 'done' : index === current ? 'current' : 'upcoming',
  }));
}
