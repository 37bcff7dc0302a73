/** A live field of the dashboard for as long as the component stands; `next` may change from one drawing to the next. */
import { useEffect, useEffectEvent } from 'react';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import { useDashboard } from './use-dashboard.ts';

export function useFollow<Result, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  next: (data: Result) => void,
): void {
  const { live } = useDashboard();
  const told = useEffectEvent(next);
  const key = JSON.stringify(variables);
  useEffect(() => {
    const same: Variables = JSON.parse(key);
    // What ends for good (forbidden, gone) leaves the page as it was asked last; the next question says why.
    return live.follow(document, same, { next: (data) => told(data), failed: () => {} });
  }, [live, document, key]);
}
