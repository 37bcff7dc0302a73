/** The documentation at `/docs`, and the page of the API at `/docs/api`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { openSite } from '../../../src/api/rest/documentation-site.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();

const read = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, { redirect: 'manual', ...init });

describe('the documentation', () => {
  test.each([
    ['/docs', 'Crypto payments that you run yourself'],
    ['/docs/', 'Crypto payments that you run yourself'],
    ['/docs/quickstart', 'from a clone to a paid order'],
    ['/docs/operations/growth', 'What grows'],
    ['/docs/reference/rest/payment-intents', 'createPaymentIntent'],
    ['/docs/reference/graphql/mutations', 'createPaymentIntent'],
    ['/docs/decisions/0010-webhook-order', 'webhook'],
  ])('has a page at %s', async (path, words) => {
    const response = await read(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain(words);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  it('embeds its state diagrams as images', async () => {
    const text = await (await read('/docs/concepts')).text();
    expect(text.match(/<div class="diagram"><svg/g)).toHaveLength(3);
    expect(text).not.toContain('stateDiagram');
  });

  it('is compressed, and its assets are cached by browsers', async () => {
    const page = await (await read('/docs')).text();
    const asset = /\/docs\/assets\/app\.[\w-]+\.js/.exec(page)?.[0] ?? '';
    const response = await read(asset, { headers: { 'accept-encoding': 'br' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toContain('import');
  });

  test.each([
    '/docs/nowhere',
    '/docs/../package.json',
    '/docs/..%2fscripts.json',
    '/docs/scripts.json',
    '/docs/assets',
  ])('has no page at %s', async (path) => expect((await read(path)).status).toBe(404));

  it('allows only reading', async () => {
    const response = await read('/docs/quickstart', { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const head = await read('/docs/quickstart', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('redirects to the API reference if it was not built', async () => {
    const site = openSite(mkdtempSync(join(tmpdir(), 'sluice-no-site-')));
    expect(site.has('/docs/quickstart')).toBe(false);
    expect(await site.read('/docs', undefined)).toMatchObject({ status: 303, headers: { location: '/docs/api' } });
  });
});

test.each(['/docs/api', '/docs/api/card'])('%s shows an API reference', async (path) => {
  const text = await (await read(path)).text();
  expect(text).toContain('/docs/api/viewer.js');
  for (const file of text.match(/\/docs\/api\/[\w.]+/g) ?? []) expect((await read(file)).status).toBe(200);
});
