/** Unknown paths: a page for browsers and JSON for other clients, both with 404. */
import { beforeAll, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let api: RestApi;
beforeAll(async () => {
  api = await openRestApi();
});

const open = (path: string, accept: string, method = 'GET') =>
  fetch(`${api.url}${path}`, { method, headers: { accept } });

it.each(['/nowhere', '/payments/nowhere', '/link', '/v1/nothing', '/dashboards/x'])(
  'returns a page to a browser and JSON to an API client for %s',
  async (path) => {
    const page = await open(path, BROWSER);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect([page.headers.get('cache-control'), page.headers.get('vary')]).toEqual(['no-store', 'accept']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/<script type="module" src="\/assets\/start-/);
    for (const accept of ['*/*', 'application/json']) {
      const json = await open(path, accept);
      expect([json.status, (await json.json()).error.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await (await open(path, BROWSER, 'POST')).json()).error.code).toBe('NOT_FOUND');
  },
);

it('returns the start page to a browser and JSON to an API client for /', async () => {
  const page = await open('/', BROWSER);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const json = await open('/', '*/*');
  expect([json.status, (await json.json()).error.code]).toEqual([404, 'NOT_FOUND']);
});

it('does not affect existing paths, whatever the client accepts', async () => {
  const unauthenticated = await open('/payments/intents', BROWSER);
  expect([unauthenticated.status, (await unauthenticated.json()).error.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
  const otherMethod = await open('/payments/intents/x/refund', BROWSER);
  expect(otherMethod.status).toBe(405);
  expect((await open('/openapi.json', BROWSER)).headers.get('content-type')).toContain('json');
  expect((await open('/healthz', BROWSER)).status).toBe(200);
});

it('does not include the path in the page, so that no part of a URL is executed', async () => {
  const page = await open('/%3Cscript%3Ealert(1)%3C/script%3E', BROWSER);
  expect(await page.text()).not.toContain('alert');
});
