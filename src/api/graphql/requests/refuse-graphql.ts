import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FaultFacts, formatFault } from '../server/fault.ts';

/**
 * Responds to a GraphQL request that the gate refused, without reading its body: with one error and its HTTP status. Keeps the headers that
 * the gate set on the response.
 */
export function refuseGraphql(
  facts: FaultFacts,
  { request, response, refusal }: { request: IncomingMessage; response: ServerResponse; refusal: unknown },
): void {
  const error = formatFault(facts, refusal);
  const { http, retryAfterSeconds } = error.extensions;
  const status = typeof http === 'object' && http !== null && 'status' in http ? Number(http.status) : 500;
  const isGraphql = /application\/graphql-response\+json/.test(request.headers.accept ?? '');
  const type = isGraphql ? 'application/graphql-response+json' : 'application/json';
  if (typeof retryAfterSeconds === 'number') response.setHeader('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  response.writeHead(status, {
    'access-control-allow-origin': '*',
    'content-type': `${type}; charset=utf-8`,
  });
  response.end(JSON.stringify({ errors: [error] }));
}
