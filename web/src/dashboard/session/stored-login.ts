/**
 * The login of a member, kept for this tab alone: sessionStorage survives a reload, which memory does not, and ends with
 * the tab, which localStorage does not. A cookie would be sent by itself with every request, and ask for a defence against
 * forged ones; scripts that could read the storage could use a cookie just as well, and the page's policy lets in none.
 */
export type StoredLogin = {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  email: string;
};

const KEY = 'sluice.login';

export function readLogin(now: number): StoredLogin | undefined {
  try {
    const { token, expiresAt, email } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    if (typeof token !== 'string' || typeof expiresAt !== 'number' || typeof email !== 'string') return undefined;
    return expiresAt > now ? { token, expiresAt, email } : undefined;
  } catch {
    return undefined;
  }
}

export function keepLogin(login: StoredLogin): void {
  sessionStorage.setItem(KEY, JSON.stringify(login));
}

export function forgetLogin(): void {
  sessionStorage.removeItem(KEY);
}
