/** What the embedding page is sent when the checkout ends. It contains identifiers and codes, and nothing secret. Pure. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { Outcome, View } from '../steps.ts';

export type FrameOutcome =
  | { type: 'paid'; outcome: Exclude<Outcome, 'refunded'>; paymentIntentId: string | null }
  | { type: 'failed'; code: 'FAILED' | 'CANCELLED' | 'EXPIRED' | 'REFUNDED' | 'NOT_FOUND' };

export function frameOutcome(seen: View, view: CheckoutViewFragment | undefined): FrameOutcome | undefined {
  switch (seen.card) {
    case 'receipt':
      if (seen.outcome === 'refunded') return { type: 'failed', code: 'REFUNDED' };
      return { type: 'paid', outcome: seen.outcome, paymentIntentId: view?.session.paymentIntentId ?? null };
    case 'over':
      return { type: 'failed', code: seen.why };
    case 'expired':
      return { type: 'failed', code: 'EXPIRED' };
    case 'unknown':
      return { type: 'failed', code: 'NOT_FOUND' };
    default:
      return undefined;
  }
}

/** The embedding page is the shop, so the frame does not lead to the shop's pages: they would open inside of it. */
export function framedView(view: CheckoutViewFragment | undefined): CheckoutViewFragment | undefined {
  return view && { ...view, session: { ...view.session, successUrl: null, cancelUrl: null } };
}
