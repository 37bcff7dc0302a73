/**
 * The one-time code in the address with which another browser of the payer opened this page. The page imports this module before all others,
 * so that the code has left the address bar and the history before anything else runs or is loaded.
 */
import { splitCode } from './split-code.ts';

const listeners = new Set<() => void>();
let code = take();

// A wallet may open a further link in the same tab, which then does not load the page again.
window.addEventListener('hashchange', () => {
  const next = take();
  if (next === undefined) return;
  code = next;
  for (const listener of listeners) listener();
});

/** The code that was taken last. */
export function takenCode(): string | undefined {
  return code;
}

/** Calls the listener whenever a further code was taken. Returns the function that ends this. */
export function followTakenCode(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function take(): string | undefined {
  const found = splitCode(location.hash);
  if (found !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return found;
}
