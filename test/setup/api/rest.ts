/**
 * The REST API from a client's point of view. Every response is validated against the published OpenAPI document, and a field that the
 * document does not name fails the test. `client` is the typed client that is generated from the same document.
 */
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../../generated/payments-api.ts';
import { openParts } from '../../../src/api/open-parts.ts';
import { checkAnswer } from '../../api/rest/openapi-check.ts';
import { type OpenApiOptions, openApi, type TestApi } from './api.ts';

export type RestAnswer = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the endpoint answers.
  body: any;
};

export type RestCall = {
  key?: string | undefined;
  clientSecret?: string | undefined;
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
};

export type RestApi = TestApi & {
  rest(method: string, path: string, call?: RestCall): Promise<RestAnswer>;
  /** A client with the types of the OpenAPI document. Its responses are validated, too. */
  client(key?: string): Client<paths>;
};

export async function openRestApi(options: OpenApiOptions = {}): Promise<RestApi> {
  const parts = options.parts ?? openParts;
  // Tests make far more requests than a merchant does. Tests of the rate limits set their own.
  const environment = {
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
  };
  const api = await openApi({ ...options, parts, environment: { ...environment, ...options.environment } });
  return {
    ...api,
    rest: (method, path, call) => callRest(api.url, method, path, call),
    client: (key) =>
      createClient<paths>({
        baseUrl: api.url,
        ...(key === undefined ? {} : { headers: { 'x-api-key': key } }),
        fetch: async (request) => {
          const response = await fetch(request);
          const text = await response.clone().text();
          checkAnswer({ method: request.method, path: new URL(request.url).pathname, response, text });
          return response;
        },
      }),
  };
}

export async function callRest(url: string, method: string, path: string, call: RestCall = {}): Promise<RestAnswer> {
  const body =
    call.body === undefined ? undefined : typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.key === undefined ? {} : { 'x-api-key': call.key }),
      ...(call.clientSecret === undefined ? {} : { 'x-client-secret': call.clientSecret }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  checkAnswer({ method, path: path.split('?')[0] ?? path, response, text });
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
