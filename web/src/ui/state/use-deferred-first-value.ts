/** Defers the rendering in which a page's data first appears, which is the page's most expensive one. */
import { useDeferredValue } from 'react';

/**
 * Returns undefined until React has rendered the first `value` in the background, where the browser can handle input in between. Every later
 * value is returned immediately, so that states that belong together change together.
 */
export function useDeferredFirstValue<T>(value: T | undefined): T | undefined {
  const rendered = useDeferredValue(value);
  return rendered === undefined ? undefined : value;
}
