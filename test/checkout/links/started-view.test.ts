/** What the response to starting a session says about the payer's page, so that the page need not query it. */
import { expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { secretKey: key, appId } = api.merchantA;
const view = 'session { id status amount } appName isTest payment { status }';

test('the response to starting a link contains what the page then queries, also when it is replayed', async () => {
  const body = { appId, name: 'Coffee', slug: `coffee-${crypto.randomUUID()}`, amount: '4.20' };
  const { slug } = (await api.rest('POST', '/payment-links', { key, body })).body.data;
  const document = `mutation ($slug: String!) { startLinkCheckout(slug: $slug) { id clientSecret checkout { ${view} } } }`;
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = (await api.graphql(document, { slug }, { headers })).data.startLinkCheckout;
  const query = `query ($id: ID!) { checkout(id: $id) { ${view} } }`;
  const credential = { headers: { 'x-client-secret': first.clientSecret } };
  const { checkout } = (await api.graphql(query, { id: first.id }, credential)).data;
  expect(first.checkout).toEqual(checkout);
  expect(checkout).toMatchObject({ session: { id: first.id, status: 'OPEN' }, isTest: true });
  const replayed = (await api.graphql(document, { slug }, { headers })).data.startLinkCheckout;
  expect(replayed).toEqual(first);
});

test('it is null afterwards, for the merchant and within itself, and a stranger learns nothing', async () => {
  const create = `mutation ($input: CreateCheckoutSessionInput!) {
    createCheckoutSession(input: $input) { id checkout { session { id checkout { appName } } } } }`;
  const input = { appId, items: [{ name: 'Coffee', amount: '4.20' }] };
  const made = (await api.graphql(create, { input }, { key })).data.createCheckoutSession;
  expect(made.checkout).toEqual({ session: { id: made.id, checkout: null } });
  const read = 'query ($id: ID!) { checkoutSession(id: $id) { id checkout { appName } } }';
  expect((await api.graphql(read, { id: made.id }, { key })).data.checkoutSession).toEqual({
    id: made.id,
    checkout: null,
  });
  const strangers = await api.graphql(read, { id: made.id }, { key: api.merchantB.secretKey });
  expect(strangers.errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
  expect((await api.graphql(read, { id: made.id })).errors?.[0]?.extensions?.code).toBe('AUTHENTICATION_ERROR');
});
