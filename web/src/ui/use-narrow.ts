/** Whether the window is too narrow for several columns. */
import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 760px)');

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
