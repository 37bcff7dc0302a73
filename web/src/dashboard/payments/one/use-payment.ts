/** The complete data of one payment in one query, which is repeated when the API reports a change and while a step is in progress. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PaymentFollowedDocument, PaymentStoryDocument } from '../../../../../generated/web/documents.ts';
import { ask } from '../../../api/ask.ts';
import { questionKey } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { isMoving } from './payment-steps.ts';

/** Confirmations and deliveries have no events of their own. */
const MOVING_MS = 2_000;

export function usePayment(id: string) {
  const { credential, live } = useDashboard();
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: questionKey(PaymentStoryDocument, { id }),
    queryFn: ({ signal }) => ask(PaymentStoryDocument, { id }, { credential, signal }),
    select: ({ paymentIntent }) => paymentIntent,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.paymentIntent) ? MOVING_MS : false),
  });
  useEffect(
    () =>
      live.follow(
        PaymentFollowedDocument,
        { id },
        {
          next: () => void queryClient.invalidateQueries({ queryKey: questionKey(PaymentStoryDocument, { id }) }),
          failed: () => {},
        },
      ),
    [live, id, queryClient],
  );
  return query;
}
