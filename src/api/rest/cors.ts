/** Cross-origin headers. Credentials are in headers, and cookies are not used. */

/**
 * Which calls pages of other origins may make: none; calls with a client secret or a card token; or public reads, also with a publishable
 * key. Pages must not contain secret keys and are not allowed to send them.
 */
export type Openness = 'CLOSED' | 'OWN_CREDENTIALS' | 'PUBLIC';

const PREFLIGHT_SECONDS = 600;
const HEADERS = 'content-type, authorization, x-client-secret, idempotency-key, x-request-id';

export function corsHeaders(openness: Openness): Record<string, string> {
  if (openness === 'CLOSED') return {};
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-request-id, ratelimit, ratelimit-policy, retry-after, idempotent-replayed',
  };
}

export function preflightHeaders(openness: Openness, allow: string): Record<string, string> {
  if (openness === 'CLOSED') return {};
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': openness === 'PUBLIC' ? `${HEADERS}, x-api-key` : HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}
