/** Whether the window is too narrow for several columns. */
import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 760px)');

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (told) => {
      narrow.addEventListener('change', told);
      return () => narrow.removeEventListener('change', told);
    },
    () => narrow.matches,
  );
}
