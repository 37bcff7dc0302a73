/** Divides the most expensive rendering of a page: the one in which its data appears. */
import { useDeferredValue } from 'react';

/**
 * Returns undefined until React has rendered the first `value` in the background, in parts between which the browser handles input. Every later
 * value is returned at once, so that states which belong together change together.
 */
export function useDividedFirst<T>(value: T | undefined): T | undefined {
  const rendered = useDeferredValue(value);
  return rendered === undefined ? undefined : value;
}
