/** What a member's pages keep after their login has expired. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../web/src/api/api-error.ts';
import { holdQueries, openSession, watchRefusals } from '../../web/src/dashboard/session/member-session.ts';

const refused = new ApiError({ code: 'AUTHENTICATION_ERROR', message: 'The token has expired.' });
const queryKey = ['settings'];

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a refused query reports the expired login, and the page keeps its data without an error', async () => {
  const client = new QueryClient();
  const onRefused = vi.fn();
  const unwatch = watchRefusals(client, onRefused);
  client.setQueryData(queryKey, 'known');
  const queryFn = () => Promise.reject(refused);
  await client.fetchQuery({ queryKey, queryFn }).catch(() => undefined);
  await client.fetchQuery({ queryKey: ['other'], queryFn }).catch(() => undefined);
  expect(onRefused).toHaveBeenCalledTimes(2);
  expect(client.getQueryState(queryKey)).toMatchObject({ data: 'known', status: 'success', error: null });
  expect(client.getQueryState(['other'])).toMatchObject({ status: 'pending', error: null });
  const mutation = client.getMutationCache().build(client, { mutationFn: queryFn });
  await mutation.execute(undefined).catch(() => undefined);
  expect(onRefused).toHaveBeenCalledTimes(3);
  unwatch();
  await client.fetchQuery({ queryKey, queryFn }).catch(() => undefined);
  expect(onRefused).toHaveBeenCalledTimes(3);
  client.clear();
});

it('other errors leave the login as it is', async () => {
  const client = new QueryClient();
  const onRefused = vi.fn();
  watchRefusals(client, onRefused);
  const error = new ApiError({ code: 'NOT_FOUND', message: 'No such app.' });
  await client.fetchQuery({ queryKey, queryFn: () => Promise.reject(error) }).catch(() => undefined);
  expect(onRefused).not.toHaveBeenCalled();
  expect(client.getQueryState(queryKey)).toMatchObject({ status: 'error', error });
  client.clear();
});

it('the data of hidden pages is kept until they are shown again', async () => {
  vi.useFakeTimers();
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: 1_000 } } });
  await client.fetchQuery({ queryKey, queryFn: () => 'known' });
  const release = holdQueries(client);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.getQueryData(queryKey)).toBe('known');
  const shown = new QueryObserver(client, { queryKey, queryFn: () => 'new' });
  release();
  const end = shown.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.getQueryData(queryKey)).toBeDefined();
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.getQueryData(queryKey)).toBeUndefined();
});

it('a new login of the same member is used by every later request', () => {
  vi.stubGlobal('location', { protocol: 'https:', host: 'pay.example' });
  const session = openSession({ token: 'first', expiresAt: 0, memberId: 'm', email: 'a@example.com' });
  expect({ ...session.credential }).toEqual({ authorization: 'Bearer first' });
  session.renew('second');
  expect({ ...session.credential }).toEqual({ authorization: 'Bearer second' });
});
