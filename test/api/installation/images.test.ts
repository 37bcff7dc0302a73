/** Merchants' images through our own proxy, and the GraphQL fields with their addresses. */
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageAddress } from '../../../src/auth/tokens/image-address.ts';
import { contrastOf } from '../../../src/catalog/accent.ts';
import { fetchBytes } from '../../../src/platform/outbound/fetch-bytes.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const files: Record<string, { type: string; body: Buffer | string }> = {
  '/logo.png': { type: 'image/png', body: png },
  '/wrongly-named.png': { type: 'text/html', body: png },
  '/drawing.svg': { type: 'image/svg+xml', body: svg },
  '/called-png.svg': { type: 'image/png', body: svg },
  '/page': { type: 'text/html', body: '<script>alert(1)</script>' },
  '/long.png': { type: 'image/png', body: Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]) },
};
const moves: Record<string, string> = { '/moved': '/logo.png', '/round': '/round', '/to-file': 'file:///etc/passwd' };

let asked = 0;
const host = createServer((request, response) => {
  asked += 1;
  const path = request.url ?? '';
  const file = files[path];
  const location = moves[path];
  if (location) response.writeHead(302, { location }).end();
  else if (file) response.writeHead(200, { 'content-type': file.type, 'set-cookie': 'a=b' }).end(file.body);
  else response.writeHead(404).end('a secret of the host');
});

let api: RestApi;
let guarded: RestApi;
let hostUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = host.address();
  hostUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  api = await openRestApi({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  guarded = await openRestApi();
});
afterAll(() => host.close());

const show = (url: string, from = api) =>
  fetch(`${from.url}${imageAddress(from.world.secretKeys, url)}`, { redirect: 'manual' });

describe('a merchant’s image', () => {
  it('is served with the type of its content and a policy without permissions', async () => {
    for (const path of ['/logo.png', '/wrongly-named.png', '/moved']) {
      const answer = await show(`${hostUrl}${path}`);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'image/png']);
      expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true);
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it.each(['/drawing.svg', '/called-png.svg', '/page', '/long.png', '/round', '/to-file', '/missing'])(
    'is not served from %s, and nothing of the host’s response is revealed',
    async (path) => {
      const answer = await show(`${hostUrl}${path}`);
      expect([answer.status, await answer.text()]).toEqual([502, '']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('is not fetched from a private network, by address or by name', async () => {
    const before = asked;
    const { port } = new URL(hostUrl);
    const named = [`http://localhost:${port}/logo.png`, 'http://localhost:1/', 'http://no-such-name.invalid/'];
    for (const url of [`${hostUrl}/logo.png`, `http://[::1]:${port}/logo.png`, ...named]) {
      const answer = await show(url, guarded);
      expect([url, answer.status, await answer.text()]).toEqual([url, 502, '']);
    }
    expect(asked).toBe(before);
    const request = { url: `${hostUrl}/logo.png`, accept: '*/*', timeoutMs: 1000, maxBytes: 10, maxRedirects: 0 };
    await expect(fetchBytes({ ...request, privateAddresses: false })).rejects.toThrow('not a public address');
    await expect(fetchBytes({ ...request, privateAddresses: true })).rejects.toThrow('More than 10 bytes');
  });

  it('returns 404 for an address without a valid signature', async () => {
    const before = asked;
    const good = imageAddress(api.world.secretKeys, `${hostUrl}/logo.png`) ?? '';
    const [, , signature, encoded] = good.split('/');
    const other = Buffer.from(`${hostUrl}/page`).toString('base64url');
    const forged = signature?.startsWith('A') ? `B${signature.slice(1)}` : `A${signature?.slice(1)}`;
    for (const path of [`/images/${signature}/${other}`, `/images/${forged}/${encoded}`, '/images/x', '/images/']) {
      expect([path, (await fetch(`${api.url}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await fetch(`${api.url}${good}`, { method: 'POST' })).status).toBe(404);
    expect(asked).toBe(before);
  });
});

async function slowHost() {
  const waiting: ServerResponse[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    waiting.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = () => {
    for (const response of waiting.splice(0)) response.writeHead(200).end(png);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer,
    close: () => server.close(),
  };
}

/** Afterwards, the server has read everything that was sent before. */
async function roundTrips() {
  for (let calls = 0; calls < 5; calls += 1) expect((await show(`${hostUrl}/logo.png`)).status).toBe(200);
}

describe('a slow image host', () => {
  it('does not occupy the slots of others after its clients have disconnected', async () => {
    const slow = await slowHost();
    const here = show(`${slow.url}/gone.png`);
    await expect.poll(() => slow.asked).toEqual(['/gone.png']);
    const path = imageAddress(api.world.secretKeys, `${slow.url}/gone.png`) ?? '';
    const { hostname, port } = new URL(api.url);
    const ask = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    const callers = await Promise.all(
      Array.from({ length: 45 }, async () => {
        const socket = connect(Number(port), hostname);
        await new Promise((resolve) => socket.write(ask, resolve));
        return socket;
      }),
    );
    for (const socket of callers) socket.resetAndDestroy();
    await roundTrips();
    for (const socket of callers) socket.resetAndDestroy();
    await roundTrips();
    slow.answer();
    expect((await here).status).toBe(200);
    expect((await show(`${hostUrl}/logo.png`)).status).toBe(200);
    expect(slow.asked).toEqual(['/gone.png']);
    slow.close();
  });

  it('is limited to four slots, and receives one request for each image', async () => {
    const slow = await slowHost();
    const ask = (...numbers: number[]) => numbers.map((number) => show(`${slow.url}/${number}.png`));
    const busy = ask(1, 2, 3, 4);
    await expect.poll(() => slow.asked.length).toBe(4);
    const waiting = ask(1, 5, 6, 7);
    await roundTrips();
    expect(slow.asked.length).toBe(4);
    slow.answer();
    await expect.poll(() => slow.asked.length).toBe(7);
    slow.answer();
    const answers = await Promise.all([...busy, ...waiting]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200]);
    expect(slow.asked.length).toBe(7);
    slow.close();
  });

  it('has at most twenty queued images, and the next one is refused immediately', async () => {
    const slow = await slowHost();
    const ask = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_none, index) => show(`${slow.url}/${from + index}.png`));
    const shown = ask(1, 4);
    await expect.poll(() => slow.asked.length).toBe(4);
    const statuses: number[] = [];
    const more = ask(5, 25).map((call) => call.then((answer) => statuses.push(answer.status)));
    await expect.poll(() => statuses).toEqual([503]);
    await expect
      .poll(() => {
        slow.answer();
        return slow.asked.length;
      })
      .toBe(24);
    slow.answer();
    await Promise.all([...shown, ...more]);
    expect(statuses).toEqual([503, ...Array<number>(20).fill(200)]);
    slow.close();
  });
});

describe('the branding of an app', () => {
  const UPDATE = `mutation ($input: UpdateAppInput!) { updateApp(input: $input) { logoUrl proxiedLogoUrl accentColor } }`;
  const update = (input: object) => api.graphql(UPDATE, { input }, { key: api.merchantA.secretKey });

  it('is set, returned to payers with proxied addresses, and removed', async () => {
    const logoUrl = `${hostUrl}/logo.png`;
    const { data } = await update({ logoUrl, accentColor: '#0A7B5F' });
    expect(data.updateApp).toMatchObject({ logoUrl, accentColor: '#0a7b5f' });
    expect((await fetch(`${api.url}${data.updateApp.proxiedLogoUrl}`)).status).toBe(200);
    expect((await update({ name: 'Alpha' })).data.updateApp.logoUrl).toBe(logoUrl);

    const key = api.merchantA.secretKey;
    const plan = { name: 'Mug', imageUrl: `${hostUrl}/mug.png`, prices: [{ amount: '9' }] };
    const made = await api.graphql(
      `mutation ($plan: CreateProductPlanInput!) {
        createProductPlan(input: $plan) { id proxiedImageUrl prices { id } } }`,
      { plan },
      { key },
    );
    const { id: productPlanId, proxiedImageUrl, prices } = made.data.createProductPlan;
    expect(proxiedImageUrl).toBe(imageAddress(api.world.secretKeys, plan.imageUrl));
    const line = { name: 'Mug', productPlanId, productPlanPriceId: prices[0].id };
    const session = await api.graphql(
      `mutation ($input: CreateCheckoutSessionInput!) { createCheckoutSession(input: $input) { id clientSecret } }`,
      { input: { items: [line] } },
      { key },
    );
    const { id, clientSecret } = session.data.createCheckoutSession;
    const seen = await api.graphql(
      'query ($id: ID!) { checkout(id: $id) { appLogoUrl accentColor session { items { proxiedImageUrl } } } }',
      { id },
      { clientSecret },
    );
    expect(seen.data.checkout).toEqual({
      appLogoUrl: data.updateApp.proxiedLogoUrl,
      accentColor: '#0a7b5f',
      session: { items: [{ proxiedImageUrl }] },
    });

    const bare = await update({ logoUrl: null, accentColor: null });
    expect(bare.data.updateApp).toEqual({ logoUrl: null, proxiedLogoUrl: null, accentColor: null });
  });

  it('has readable shades for light and dark pages, and reports which ones were adjusted', async () => {
    const shadesOf = async (accentColor: string | null) => {
      await update({ accentColor });
      const { data } = await api.graphql(
        '{ app { accentShades { mode fill textOnFill text isAdjusted } } }',
        {},
        { key: api.merchantA.secretKey },
      );
      return data.app.accentShades;
    };
    expect(await shadesOf(null)).toEqual([]);
    const [light, dark] = await shadesOf('#ffee00');
    expect(light).toMatchObject({ mode: 'light', isAdjusted: true });
    expect(dark).toEqual({ mode: 'dark', fill: '#ffee00', textOnFill: '#0b0e14', text: '#ffee00', isAdjusted: false });
    for (const [shade, surface] of [
      [light, '#ffffff'],
      [dark, '#171b21'],
    ] as const) {
      expect(contrastOf(shade.fill, surface)).toBeGreaterThanOrEqual(3);
      expect(contrastOf(shade.textOnFill, shade.fill)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(shade.text, surface)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('includes a preview of an unsaved logo for callers who may change it', async () => {
    const logoUrl = `${hostUrl}/logo.png`;
    const ask = (caller: object) =>
      api.graphql('query ($logoUrl: URL!) { app { logoPreview(logoUrl: $logoUrl) logoUrl } }', { logoUrl }, caller);
    const { data } = await ask({ key: api.merchantA.secretKey });
    expect(data.app.logoUrl).toBeNull();
    expect((await fetch(`${api.url}${data.app.logoPreview}`)).status).toBe(200);
    expect((await ask({})).errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    expect((await ask({ key: api.merchantA.publishableKey })).errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
  });

  it('includes texts of the page, which are audited and can be removed', async () => {
    const key = api.merchantA.secretKey;
    const WORDS = `mutation ($id: ID, $input: UpdateAppInput!) {
      updateApp(id: $id, input: $input) { checkoutHeading checkoutMessage receiptMessage footerText } }`;
    const set = (input: object, caller: object = { key }) => api.graphql(WORDS, { input }, caller);
    const input = {
      checkoutHeading: ' Your tea ',
      checkoutMessage: 'We ship within <2> days.',
      receiptMessage: 'Thank you!',
      footerText: 'Tea & Co · Berlin',
    };
    const expected = { ...input, checkoutHeading: 'Your tea' };
    expect((await set(input)).data.updateApp).toEqual(expected);
    expect((await set(input)).data.updateApp).toEqual(expected);
    expect((await set({ name: 'Alpha' })).data.updateApp).toEqual(expected);

    const session = await api.graphql(
      'mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3" }] }) { id clientSecret } }',
      {},
      { key },
    );
    const { id, clientSecret } = session.data.createCheckoutSession;
    const seen = await api.graphql(
      'query ($id: ID!) { checkout(id: $id) { heading message receiptMessage } }',
      { id },
      { clientSecret },
    );
    const { checkoutHeading: heading, checkoutMessage: message, receiptMessage } = expected;
    expect(seen.data.checkout).toEqual({ heading, message, receiptMessage });
    const entries = await api.database.auditEntry.findMany({ where: { action: 'app.updated' } });
    expect(JSON.stringify(entries)).toContain('We ship within <2> days.');

    const bad = await set({
      checkoutHeading: 'x'.repeat(81),
      checkoutMessage: 'x'.repeat(301),
      receiptMessage: 'One\nTwo',
      footerText: 'x'.repeat(501),
    });
    expect(bad.errors?.[0]?.extensions.details).toEqual([
      { param: 'checkoutHeading', message: 'at most 80 characters' },
      { param: 'checkoutMessage', message: 'at most 300 characters' },
      { param: 'receiptMessage', message: 'plain text without control characters or line breaks' },
      { param: 'footerText', message: 'at most 500 characters' },
    ]);
    expect((await set({ footerText: 'x' }, {})).errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    expect((await set({ footerText: 'x' }, { key: api.merchantA.publishableKey })).errors?.[0]?.extensions.code).toBe(
      'AUTHORIZATION_ERROR',
    );
    const other = { id: api.merchantA.appId, input: { footerText: 'x' } };
    const foreign = await api.graphql(WORDS, other, { key: api.merchantB.secretKey });
    expect(foreign.errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
    const bare = { checkoutHeading: null, checkoutMessage: '', receiptMessage: ' ', footerText: null };
    const none = { checkoutHeading: null, checkoutMessage: null, receiptMessage: null, footerText: null };
    expect((await set(bare)).data.updateApp).toEqual(none);
  });

  it('accepts only a web address and a color', async () => {
    const { errors } = await update({ logoUrl: 'https://', accentColor: 'red' });
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
    const color = await update({ accentColor: '#0a7b5f; background: url(//x)' });
    expect(color.errors?.[0]?.extensions.details).toEqual([
      { param: 'accentColor', message: 'a color in the form #rrggbb' },
    ]);
    for (const logoUrl of [
      'javascript:alert(1)',
      'data:image/png;base64,AAAA',
      `https://a.example/${'x'.repeat(2048)}`,
    ])
      expect((await update({ logoUrl })).errors?.[0]?.extensions.code, logoUrl).toBe('VALIDATION_ERROR');
  });
});
