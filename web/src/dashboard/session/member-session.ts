/**
 * What the pages of a member share. It outlives a login: after a login has expired, the same member continues on the same pages with a new
 * token. Another member gets a session of their own, so that data of one is never shown to another.
 */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import type { Credential } from '../../api/ask.ts';
import { type LiveConnection, openLive } from '../../api/live.ts';
import type { FailedCalls } from './send-once.ts';
import type { StoredLogin } from './stored-login.ts';

export type MemberSession = {
  memberId: string;
  email: string;
  client: QueryClient;
  /** Always the same object. Whoever reads it gets the newest token. */
  credential: Credential;
  live: LiveConnection;
  failedCalls: FailedCalls;
  renew: (token: string) => void;
};

const FRESH_MS = 15_000;

export function openSession(login: StoredLogin): MemberSession {
  let { token } = login;
  const credential = {
    get authorization() {
      return `Bearer ${token}`;
    },
  };
  return {
    memberId: login.memberId,
    email: login.email,
    client: newClient(),
    credential,
    live: openLive(credential),
    failedCalls: new Map(),
    renew(next) {
      token = next;
    },
  };
}

/**
 * Calls `onRefused` when the API refuses the login, until the returned function is called. A query then keeps its data and reports no
 * error, because a page that shows an error in place of its data would discard what the member has entered.
 */
export function watchRefusals(client: QueryClient, onRefused: () => void): () => void {
  const queries = client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error' || !isRefused(event.action.error)) return;
    event.query.setState({ error: null, status: event.query.state.data === undefined ? 'pending' : 'success' });
    onRefused();
  });
  const mutations = client.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error' && isRefused(event.action.error)) onRefused();
  });
  return () => {
    queries();
    mutations();
  };
}

export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'AUTHENTICATION_ERROR';
}

/** Keeps the data of hidden pages until the returned function is called. The client would discard it after a few minutes. */
export function holdQueries(client: QueryClient): () => void {
  const ends = client
    .getQueryCache()
    .getAll()
    .map(({ options, queryKey }) =>
      new QueryObserver(client, { ...options, queryKey, enabled: false }).subscribe(() => {}),
    );
  return () => {
    for (const end of ends) end();
  };
}

function newClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => error instanceof ApiError && error.fault.retryable === true && failures < 2,
      },
    },
  });
}
