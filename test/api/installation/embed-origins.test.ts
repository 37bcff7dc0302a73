/** The origins that may frame an app's checkout: the setting, and the policy under which the page for frames is served. */
import { describe, expect, it } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const UPDATE = `mutation ($id: ID, $input: UpdateAppInput!) { updateApp(id: $id, input: $input) { embedOrigins } }`;

const update = (embedOrigins: unknown, { key = api.merchantA.secretKey, id = undefined as string | undefined } = {}) =>
  api.graphql(UPDATE, { id, input: { embedOrigins } }, { key });

async function makeSession(key: string): Promise<{ id: string; clientSecret: string }> {
  const { data } = await api.graphql(
    `mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3.00" }] }) { id clientSecret } }`,
    {},
    { key },
  );
  return data.createCheckoutSession;
}

type Served = { status: number; policy: string; caching: string | null; html: string };

async function serve(path: string, init: RequestInit = {}): Promise<Served> {
  const response = await fetch(`${api.url}${path}`, init);
  const policy = response.headers.get('content-security-policy') ?? '';
  return {
    status: response.status,
    policy,
    caching: response.headers.get('cache-control'),
    html: await response.text(),
  };
}

const ancestors = ({ policy }: Served) => /frame-ancestors ([^;]*)/.exec(policy)?.[1];
const framed = ({ html }: Served) => /<script type="application\/json" id="frame">(.*)<\/script>/.exec(html)?.[1];

describe('the setting embedOrigins', () => {
  it('is empty by default, replaced as a whole, normalized and audited', async () => {
    const first = await api.graphql('{ app { embedOrigins } }', {}, { key: api.merchantA.secretKey });
    expect(first.data.app.embedOrigins).toEqual([]);
    const { data } = await update([
      'https://Shop.Example/',
      'https://shop.example:443',
      'https://shop.example:8443',
      'http://localhost:3000',
    ]);
    expect(data.updateApp.embedOrigins).toEqual([
      'https://shop.example',
      'https://shop.example:8443',
      'http://localhost:3000',
    ]);
    const entry = await api.database.auditEntry.findFirstOrThrow({
      where: { appId: api.merchantA.appId, action: 'app.updated' },
      orderBy: { id: 'desc' },
    });
    expect(JSON.stringify(entry)).toContain('https://shop.example:8443');
    const other = await api.graphql(UPDATE, { input: { name: 'Alpha' } }, { key: api.merchantA.secretKey });
    expect(other.data.updateApp.embedOrigins).toHaveLength(3);
    expect((await update([])).data.updateApp.embedOrigins).toEqual([]);
  });

  it.each([
    'shop.example',
    'http://shop.example',
    'http://127.0.0.1:3000',
    'http://localhost.evil.example',
    'https://*.shop.example',
    'https://*',
    '*',
    'null',
    'https://shop.example/path',
    'https://shop.example?x',
    'https://shop.example#x',
    'https://user@shop.example',
    "https://shop.example; script-src 'unsafe-inline'",
    'https://shop.example https://evil.example',
    'https://[::1]',
    'https://shop.example:99999',
    'https://shop.example\n',
    'javascript:alert(1)',
    '',
    `https://${'a.'.repeat(130)}example`,
  ])('refuses %j, names it and writes nothing', async (origin) => {
    await update(['https://kept.example']);
    const { errors } = await update(['https://fine.example', origin]);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', http: { status: 400 } });
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param)).toEqual(['embedOrigins[1]']);
    const { data } = await api.graphql('{ app { embedOrigins } }', {}, { key: api.merchantA.secretKey });
    expect(data.app.embedOrigins).toEqual(['https://kept.example']);
  });

  it('holds at most 20 origins, and cannot be cleared with null', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `https://s${index}.example`);
    expect((await update(many(20))).data.updateApp.embedOrigins).toHaveLength(20);
    const details = (answer: Awaited<ReturnType<typeof update>>) => answer.errors?.[0]?.extensions.details;
    expect(details(await update(many(21)))).toEqual([{ param: 'embedOrigins', message: 'at most 20 origins' }]);
    expect(details(await update(null))).toContainEqual({ param: 'embedOrigins', message: 'cannot be cleared' });
  });

  it('accepts only https for a live app', async () => {
    const { secretKey: key } = api.liveApp;
    const { errors } = await update(['https://shop.example', 'http://localhost:3000'], { key });
    expect(errors?.[0]?.extensions.details).toEqual([
      { param: 'embedOrigins[1]', message: 'an https origin; http://localhost is for apps in TEST mode' },
    ]);
    expect((await update(['https://shop.example'], { key })).data.updateApp.embedOrigins).toHaveLength(1);
  });

  it('can be changed only by its merchant with a secret key', async () => {
    const of = async (options: object) => (await update([], options)).errors?.[0]?.extensions.code;
    expect(await of({ key: api.merchantA.publishableKey })).toBe('AUTHORIZATION_ERROR');
    expect(await of({ key: 'sk_test_wrong' })).toBe('AUTHENTICATION_ERROR');
    const other = await update([], { key: api.merchantB.secretKey, id: api.merchantA.appId });
    const missing = await update([], { key: api.merchantB.secretKey, id: crypto.randomUUID() });
    // Another merchant's app returns the same error as a missing one.
    const errorOf = ({ errors }: typeof other) => [errors?.[0]?.extensions.code, errors?.[0]?.message];
    expect(errorOf(other)).toEqual(errorOf(missing));
    expect(other.data?.updateApp ?? null).toBeNull();
  });
});

describe('GET /embed/checkout/:id', () => {
  it('can be framed only by the listed origins, and contains the list', async () => {
    await update(['https://shop.example', 'http://localhost:3000']);
    const { id, clientSecret } = await makeSession(api.merchantA.secretKey);
    const served = await serve(`/embed/checkout/${id}`);
    expect([served.status, served.caching]).toEqual([200, 'no-store']);
    expect(ancestors(served)).toBe('https://shop.example http://localhost:3000');
    expect(JSON.parse(framed(served) ?? '')).toEqual({ origins: ['https://shop.example', 'http://localhost:3000'] });
    expect(served.policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(served.html).not.toContain(clientSecret);
    expect(served.html).not.toContain(api.merchantA.appId);
    const head = await serve(`/embed/checkout/${id}`, { method: 'HEAD' });
    expect([ancestors(head), head.html]).toEqual(['https://shop.example http://localhost:3000', '']);
    // The page without frames is unchanged.
    expect(ancestors(await serve(`/checkout/${id}`))).toBe("'none'");
  });

  it('returns the same for an unknown session as for an app without origins', async () => {
    const { id } = await makeSession(api.merchantB.secretKey);
    const without = await serve(`/embed/checkout/${id}`);
    expect([without.status, ancestors(without), framed(without)]).toEqual([200, "'none'", '{"origins":[]}']);
    for (const unknown of [crypto.randomUUID(), 'x', '%00', "'; DROP TABLE app", '..%2f..%2f'])
      expect(await serve(`/embed/checkout/${encodeURIComponent(unknown)}`), unknown).toEqual(without);
  });

  it('exists only for sessions and for reading', async () => {
    for (const path of ['/embed', '/embed/checkout', '/embed/link/tea', '/embed/checkout/a/b', '/embed/dashboard'])
      expect((await serve(path)).status, path).toBe(404);
    expect((await serve('/embed/checkout/x', { method: 'POST' })).status).toBe(404);
  });

  it('applies a changed setting within seconds', async () => {
    await update(['https://old.example']);
    const { id } = await makeSession(api.merchantA.secretKey);
    expect(ancestors(await serve(`/embed/checkout/${id}`))).toBe('https://old.example');
    await update(['https://new.example']);
    await expect
      .poll(async () => ancestors(await serve(`/embed/checkout/${id}`)), { timeout: 30_000, interval: 500 })
      .toBe('https://new.example');
  });
});

it('limits requests by address', async () => {
  const limited = await openRestApi({
    environment: { RATE_LIMIT_KEYLESS_PER_SECOND: '1', RATE_LIMIT_BURST: '5' },
  });
  const statuses = new Set<number>();
  for (let call = 0; call < 60; call++) statuses.add((await fetch(`${limited.url}/embed/checkout/x`)).status);
  expect([...statuses].sort()).toEqual([200, 429]);
});
