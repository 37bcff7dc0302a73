/** The session from the API: queried once, then received live, and polled while the live connection is down. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import {
  CheckoutChangesDocument,
  CheckoutPageDocument,
  type CheckoutViewFragment,
} from '../../../../generated/web/documents.ts';
import { ApiError, networkFault } from '../../api/api-error.ts';
import { ask, type Credential } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { openLive } from '../../api/live.ts';
import { useDeferredFirstValue } from '../../ui/state/use-deferred-first-value.ts';
import { newer } from './newer.ts';

export type SessionName = { id: string; credential: Credential };

export type CheckoutReading = {
  view: CheckoutViewFragment | undefined;
  fault: 'UNKNOWN' | 'UNREACHABLE' | undefined;
  /** Milliseconds to add to this browser's clock to obtain the gateway's. */
  clockOffsetMs: number;
  /** Reads the session now. Throws ApiError. */
  ask: () => Promise<CheckoutViewFragment>;
};

type Dated = { view: CheckoutViewFragment; clockOffsetMs: number };

const RETRY_MS = 3_000;
const UNKNOWN = new Set(['NOT_FOUND', 'AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', 'VALIDATION_ERROR']);

export function useCheckout({ id, credential }: SessionName): CheckoutReading {
  const queries = useQueryClient();
  const [isLive, setLive] = useState(false);
  const query = useQuery({
    queryKey: ['checkout', id],
    queryFn: async ({ signal }) => {
      const fresh = dated(await ask(CheckoutPageDocument, { id }, { credential, signal: inTime(signal) }));
      return newer(queries.getQueryData<Dated>(['checkout', id]), fresh);
    },
    refetchInterval: ({ state }) => (state.error && isUnknown(state.error) ? false : isLive ? false : RETRY_MS),
    // A returning payer may have paid in another browser, while the live connection of this page was suspended.
    refetchOnWindowFocus: 'always',
    retry: false,
  });
  const shown = useDeferredFirstValue(query.data);
  const isThere = shown !== undefined;
  const { refetch } = query;
  useEffect(() => {
    if (!isThere) return;
    const live = openLive(credential);
    // Whenever it connects, the live field first returns the current state, so earlier changes need not be queried.
    const unwatch = live.onState(setLive);
    const stop = live.follow(
      CheckoutChangesDocument,
      { id },
      {
        next: ({ checkoutUpdated }) =>
          queries.setQueryData<Dated>(['checkout', id], (before) =>
            newer(before, dated({ checkout: checkoutUpdated })),
          ),
        failed: () => setLive(false),
      },
    );
    return () => {
      unwatch();
      stop();
      live.close();
    };
  }, [id, isThere, credential, queries]);
  return {
    view: shown?.view,
    fault: query.error ? (isUnknown(query.error) ? 'UNKNOWN' : 'UNREACHABLE') : undefined,
    clockOffsetMs: shown?.clockOffsetMs ?? 0,
    ask: useCallback(async () => {
      const { data } = await refetch({ throwOnError: true });
      if (!data) throw networkFault(undefined);
      return data.view;
    }, [refetch]),
  };
}

/** Keeps the state that the response to starting a session contains, so that the page does not query it again. */
export function keepFirstView(queries: QueryClient, id: string, view: CheckoutViewFragment): void {
  queries.setQueryData<Dated>(['checkout', id], dated({ checkout: view }));
}

function dated({ checkout }: { checkout: CheckoutViewFragment }): Dated {
  return { view: checkout, clockOffsetMs: Date.parse(checkout.now) - Date.now() };
}

function isUnknown(error: Error): boolean {
  return error instanceof ApiError && UNKNOWN.has(error.code);
}
