/** The last way to pay of this browser, which is listed first the next time. It never leaves the browser. */
const KEY = 'sluice.way';

export function keepWay(tokenKey: string): void {
  try {
    localStorage.setItem(KEY, tokenKey);
  } catch {
    // Without storage, every visit is a first one.
  }
}

export function keptWay(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
