/** Reports how the checkout ended to the page that embeds it. */
import { useEffect } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { View } from '../steps.ts';
import { frame } from './frame.ts';
import { frameOutcome } from './frame-outcome.ts';

export function useFrame(seen: View, view: CheckoutViewFragment | undefined): void {
  useEffect(() => {
    const outcome = frameOutcome(seen, view);
    if (outcome) frame?.report(outcome);
  }, [seen, view]);
}
