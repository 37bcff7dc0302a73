/**
 * The login of a member, stored for this tab only. sessionStorage survives a reload, unlike memory, and ends with the tab, unlike
 * localStorage. A cookie would be sent automatically with every request and would require protection against forged requests. A script that
 * could read the storage could use a cookie as well, and the content security policy allows no foreign scripts.
 */
export type StoredLogin = {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  memberId: string;
  email: string;
};

const KEY = 'sluice.login';

export function readLogin(now: number): StoredLogin | undefined {
  try {
    const { token, expiresAt, memberId, email } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    if (typeof token !== 'string' || typeof expiresAt !== 'number') return undefined;
    if (typeof memberId !== 'string' || typeof email !== 'string') return undefined;
    return expiresAt > now ? { token, expiresAt, memberId, email } : undefined;
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
