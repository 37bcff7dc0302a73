/** A subscription of the dashboard while the component is mounted. `next` may be another function on each render. */
import { useEffect, useEffectEvent } from 'react';
import type { TypedDocumentString } from '../../../../generated/web/documents.ts';
import { useDashboard } from './use-dashboard.ts';

export function useFollow<Result, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  next: (data: Result) => void,
): void {
  const { live } = useDashboard();
  const onNext = useEffectEvent(next);
  const key = JSON.stringify(variables);
  useEffect(() => {
    const same: Variables = JSON.parse(key);
    // A subscription that ends permanently (forbidden, gone) leaves the page unchanged. The next query reports the reason.
    return live.follow(document, same, { next: (data) => onNext(data), failed: () => {} });
  }, [live, document, key]);
}
