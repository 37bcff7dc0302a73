/** Content negotiation of /graphql. */
import { expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const query = JSON.stringify({ query: '{ viewer { kind } }' });

async function post(headers: Record<string, string>, body: string = query) {
  const response = await fetch(`${api.url}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

test('returns 415 with an error object for a body of another media type', async () => {
  for (const type of ['text/plain', 'application/xml', 'x', 'application/jsonp']) {
    const { status, text } = await post({ 'content-type': type });
    expect(status, type).toBe(415);
    expect(JSON.parse(text).errors).toMatchObject([
      { extensions: { code: 'UNSUPPORTED_MEDIA_TYPE', http: { status: 415 } } },
    ]);
  }
});

test('returns JSON to a client that accepts no supported media type', async () => {
  for (const accept of ['image/png', 'x', 'text/html', 'application/xml, text/csv', '']) {
    const { status, type, text } = await post({ 'content-type': 'application/json', accept });
    expect([status, type], accept).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({ data: { viewer: { kind: 'anonymous' } } });
  }
});

test('refuses a subscription before it begins if the client does not accept a stream', async () => {
  const live = JSON.stringify({ query: 'subscription { chainStatus { appliedBlock } }' });
  for (const accept of ['application/json', 'application/graphql-response+json', 'image/png']) {
    const { text } = await post(
      { 'content-type': 'application/json', accept, 'x-api-key': api.merchantA.secretKey },
      live,
    );
    expect(JSON.parse(text).errors, accept).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', http: { status: 400 } } },
    ]);
  }
});
