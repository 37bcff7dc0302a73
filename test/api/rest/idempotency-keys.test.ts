/** The syntax of idempotency keys, and their scope on public routes. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi({ environment: { TRUSTED_PROXIES: '1' } });
const direct = await openRestApi();
const key = api.merchantA.secretKey;

let count = 0;
async function newLink(on = api): Promise<string> {
  count += 1;
  const body = { appId: on.merchantA.appId, name: 'Coffee', slug: `coffee-${count}`, amount: '4.20' };
  return (await on.rest('POST', '/payment-links', { key: on.merchantA.secretKey, body })).body.data.slug;
}

type Caller = { from: string; named: string; credential?: string; on?: typeof api };

async function startOverRest(slug: string, { from, named, credential, on = api }: Caller) {
  const headers = { 'x-forwarded-for': from, 'idempotency-key': named };
  const answer = await on.rest('POST', `/payment-links/${slug}/checkout`, { key: credential, headers });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  const { id, clientSecret } = answer.body.data;
  return { id, clientSecret, replayed: answer.headers.get('idempotent-replayed') };
}

async function startOverGraphql(slug: string, { from, named, credential, on = api }: Caller) {
  const headers = { 'x-forwarded-for': from, 'idempotency-key': named };
  const document = 'mutation ($slug: String!) { startLinkCheckout(slug: $slug) { id clientSecret } }';
  const answer = await on.graphql(document, { slug }, { key: credential, headers });
  expect(answer.errors).toBeUndefined();
  return { ...answer.data.startLinkCheckout, replayed: answer.headers.get('idempotent-replayed') };
}

describe.each([
  ['REST', startOverRest],
  ['GraphQL', startOverGraphql],
] as const)('over %s, on a public payment link', (_name, start) => {
  it.each(['order-1', '1', 'AAAAAAAAAAAAAAAAAAAAA', `not base64url: ${'x'.repeat(30)}`])(
    'scopes the guessable key %s to the address of the caller',
    async (named) => {
      const slug = await newLink();
      const first = await start(slug, { from: '203.0.113.1', named });
      const again = await start(slug, { from: '203.0.113.1', named });
      expect(again).toEqual({ ...first, replayed: 'true' });
      const publicCaller = await start(slug, { from: '203.0.113.2', named });
      expect(publicCaller.replayed).toBeNull();
      expect(publicCaller.id).not.toBe(first.id);
      expect(publicCaller.clientSecret).not.toBe(first.clientSecret);
    },
  );

  it('does not trust a guessable key more because the caller has a credential', async () => {
    const slug = await newLink();
    const first = await start(slug, { from: '203.0.113.1', named: 'order-1' });
    const credential = api.merchantB.secretKey;
    const other = await start(slug, { from: '203.0.113.2', named: 'order-1', credential });
    expect([other.replayed, other.id === first.id]).toEqual([null, false]);
  });

  it.each(['7d444840-9dc0-11d1-b245-5ffdce74fad2', '7D444840-9DC0-11D1-B245-5FFDCE74FAD2', 'Zm9vYmFyYmF6cXV4Zm9vYg'])(
    'scopes the unguessable key %s to the link, from any address',
    async (named) => {
      const slug = await newLink();
      const first = await start(slug, { from: '203.0.113.1', named });
      expect(await start(slug, { from: '198.51.100.7', named })).toEqual({ ...first, replayed: 'true' });
      const elsewhere = await start(await newLink(), { from: '203.0.113.1', named });
      expect([elsewhere.replayed, elsewhere.id === first.id]).toEqual([null, false]);
    },
  );

  it('identifies an IPv6 caller by its /64 and the last address of X-Forwarded-For', async () => {
    const slug = await newLink();
    const first = await start(slug, { from: '2001:db8:1:2::1', named: 'k' });
    const neighbour = await start(slug, { from: '198.51.100.7, 2001:db8:1:2:ffff::2', named: 'k' });
    expect(neighbour).toEqual({ ...first, replayed: 'true' });
    const other = await start(slug, { from: '2001:db8:1:2::1, 2001:db8:1:3::1', named: 'k' });
    expect(other.replayed).toBeNull();
  });

  it('ignores X-Forwarded-For without trusted proxies', async () => {
    const slug = await newLink(direct);
    const first = await start(slug, { from: '203.0.113.1', named: 'k', on: direct });
    expect(await start(slug, { from: '203.0.113.2', named: 'k', on: direct })).toEqual({ ...first, replayed: 'true' });
  });

  it('treats a quoted key like the same key without quotes', async () => {
    const slug = await newLink();
    const first = await start(slug, { from: '203.0.113.1', named: 'k' });
    expect(await start(slug, { from: '203.0.113.1', named: '"k"' })).toEqual({ ...first, replayed: 'true' });
  });
});

describe('an idempotency key in double quotes', () => {
  const create = (body: Record<string, unknown>, named: string) =>
    api.rest('POST', '/payments/intents', { key, body, headers: { 'idempotency-key': named } });
  const createOverGraphql = async (input: Record<string, unknown>, named: string) => {
    const document = 'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }';
    return await api.graphql(document, { input }, { key, headers: { 'idempotency-key': named } });
  };

  it.each([
    ['"one"', 'one'],
    ['"with \\"quotes\\" and \\\\"', 'with "quotes" and \\'],
    ['"{\\"a\\":1}"', '{"a":1}'],
  ])('%s equals the key %s over REST, over GraphQL and in the body', async (quoted, plain) => {
    const body = { amount: '3' };
    const first = await create(body, quoted);
    expect(first.status).toBe(200);
    for (const again of [await create(body, plain), await create({ ...body, idempotencyKey: plain }, quoted)]) {
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(again.body.data.id).toBe(first.body.data.id);
    }
    const overGraphql = await createOverGraphql(body, quoted);
    expect(overGraphql.data.createPaymentIntent.id).toBe(first.body.data.id);
    expect(overGraphql.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is used verbatim if the quotes do not enclose the whole header', async () => {
    const ids = new Set<string>();
    for (const named of ['"', 'half"', '"half', 'a"b"', '"k";p=1'])
      ids.add((await create({ amount: '3' }, named)).body.data.id);
    expect(ids.size).toBe(5);
  });

  it.each(['"a"b"', '"ends in an escape\\"', '"\\n"', '""'])('%s is refused with the header named', async (named) => {
    const { status, body } = await create({ amount: '3' }, named);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'VALIDATION_ERROR', 'Idempotency-Key']);
    const { errors } = await createOverGraphql({ amount: '3' }, named);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'Idempotency-Key' });
  });

  it('has at most 255 characters between the quotes', async () => {
    expect((await create({ amount: '3' }, `"${'q'.repeat(255)}"`)).status).toBe(200);
    expect((await create({ amount: '3' }, `"${'q'.repeat(256)}"`)).status).toBe(400);
  });
});

it('every public mutation scopes idempotency keys to its caller', () => {
  const folder = new URL('../../../src/api/graphql/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const mutations = files.flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split(/(?=builder\.\w+Field\()/)
      .filter((part) => part.startsWith('builder.mutationField(') && /authScopes: \{[^}]*\bpublic: true/.test(part)),
  );
  expect(mutations.length).toBeGreaterThan(5);
  expect(mutations.filter((part) => /\bidempotencyOf\(/.test(part))).toEqual([]);
  expect(mutations.filter((part) => /\bpublicIdempotencyOf\(/.test(part))).toHaveLength(1);
});
