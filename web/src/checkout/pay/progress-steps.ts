/** The steps of a payment in progress, in order, and the current one: sent, seen with its confirmations, held, captured. */
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
  /** Held until the merchant captures it, so the page does not wait for the capture. */
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
