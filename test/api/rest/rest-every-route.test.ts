/**
 * Every documented path returns 401 without a key, 403 with a publishable one, and the same 404 for another merchant's
 * ID as for a missing one. The bodies are the examples of the published description, which are tested in this way.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { restRoutes } from '../../../generated/rest.ts';
import type { RestRoute } from '../../../src/api/rest/rest-route.ts';
import { openRestApi, type RestAnswer } from '../../setup/api/rest.ts';
import { documentedPaths } from './documented-paths.ts';

const api = await openRestApi();
const { merchantA, merchantB } = api;
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const describedPayments = JSON.parse(
  readFileSync(new URL('../../../schema/openapi/payments.json', import.meta.url), 'utf8'),
);
const routes = restRoutes.filter((route) => !route.path.startsWith('/v1/'));
const name = (route: { method: string; path: string }) => `${route.method} ${route.path}`;
const mine = await resourcesOf(merchantA.secretKey, merchantA.appId);

test('serves every documented path of an available resource', () => {
  const served = new Set(restRoutes.map(name));
  const resources = new Set(restRoutes.map((route) => resourceOf(route.path)));
  const missing = documentedPaths.filter(
    (path) => !served.has(path) && resources.has(resourceOf(path.split(' ')[1] ?? '')),
  );
  expect(missing).toEqual([]);
});

test('serves no path that is not documented', () => {
  expect(restRoutes.map(name).filter((path) => !documentedPaths.includes(path))).toEqual([]);
});

describe.each(routes.map((route) => [name(route), route] as const))('%s', (_name, route) => {
  const isOpen = route.access.includes('public');

  test.skipIf(isOpen)('requires a credential', async () => {
    const { status, body } = await call(route, UNKNOWN, {});
    expect([status, body.error.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
    const wrong = await call(route, UNKNOWN, { key: `${merchantA.secretKey.slice(0, -1)}!` });
    expect(wrong.status).toBe(401);
  });

  test.skipIf(isOpen || route.access.includes('credential'))('refuses a publishable key', async () => {
    const { status, body } = await call(route, UNKNOWN, { key: merchantA.publishableKey });
    expect([status, body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  // Only a client secret may call these. Their own tests cover other sessions and malformed IDs.
  const isOfSession = route.access.every((access) => access === 'session');
  const idOf = mine.get(resourceOf(route.path));
  test.skipIf(isOpen || isOfSession || !/:(?!appId)/.test(route.path) || idOf === undefined)(
    "returns the same response for another merchant's ID and for a missing one",
    async () => {
      const foreign = await call(route, idOf ?? '', { key: merchantB.secretKey });
      const missing = await call(route, UNKNOWN, { key: merchantB.secretKey });
      expect([foreign.status, missing.status]).toEqual([404, 404]);
      const without = ({ body }: RestAnswer) => ({ ...body.error, requestId: '' });
      expect(without(foreign)).toEqual(without(missing));
    },
  );

  test.skipIf(!route.path.startsWith('/apps/'))(
    "returns 403 for another merchant's app, whether it exists or not",
    async () => {
      for (const appId of [merchantA.appId, UNKNOWN]) {
        const elsewhere = { ...route, path: route.path.replace(':appId', appId) };
        const { status, body } = await call(elsewhere, UNKNOWN, { key: merchantB.secretKey }, route);
        expect([status, body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
      }
    },
  );

  test.skipIf(isOfSession || !route.path.includes(':id'))('names a malformed ID', async () => {
    const { status, body } = await call(route, 'seven', { key: merchantB.secretKey });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.map((fault: { param: string }) => fault.param)).toContain('id');
  });
});

function call(route: RestRoute, id: string, options: { key?: string }, described = route): Promise<RestAnswer> {
  // The app in a path is the caller's own. Other apps have a test of their own.
  const path = route.path.replace(':appId', merchantB.appId).replace(/:\w+/g, id);
  const operation = describedPayments.paths[described.path.replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()];
  const example = operation.requestBody?.content['application/json'].example;
  return api.rest(route.method, path, { ...options, ...(example === undefined ? {} : { body: fitting(example) }) });
}

/** The example with the test app's own ID and a test chain. */
function fitting(example: Record<string, unknown>): Record<string, unknown> {
  const here = { appId: merchantB.appId, chainId: 31337, tokenKey: 'USDC-31337' };
  return { ...example, ...Object.fromEntries(Object.entries(here).filter(([field]) => field in example)) };
}

function resourceOf(path: string): string {
  return path
    .split('/')
    .slice(1, path.startsWith('/payments') ? 3 : 2)
    .join('/');
}

/** One resource of each kind, created over REST. Kinds that cannot be created are omitted. */
async function resourcesOf(key: string, appId: string): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const make = async (resource: string, body: object) => {
    const path = `/${resource.replace(appId, ':appId')}`;
    if (!routes.some((route) => route.method === 'POST' && route.path === path)) return undefined;
    const { status, body: answer } = await api.rest('POST', `/${resource}`, { key, body });
    if (status !== 200) throw new Error(`${resource}: ${JSON.stringify(answer)}`);
    made.set(resourceOf(path), answer.data.id);
    return answer.data;
  };
  await make('payments/intents', { amount: '10' });
  const customer = await make('customers', { appId, email: 'a@example.com' });
  await make('tax-rates', { displayName: 'VAT', percentage: 20 });
  await make('coupons', { name: 'Spring', percentOffBps: 1000 });
  await make('product-plans', { name: 'Plan', prices: [{ amount: '5', isDefault: true }] });
  await make('payment-links', { appId, name: 'Link', slug: `link-${UNKNOWN.slice(0, 8)}`, amount: '5' });
  await make(`apps/${appId}/webhooks`, { url: 'https://shop.example/hooks', events: ['*'] });
  await make('checkout-sessions', { items: [{ name: 'Tea', amount: '3' }] });
  if (customer)
    await make('invoices', { customerAccountId: customer.id, items: [{ description: 'Tea', amount: '3' }] });
  return made;
}
