/** Cross-origin headers: a credential is in a header here, and no cookie is. */

/**
 * What pages of other origins may call: nothing; with a credential of their own, a session's client secret or a card token;
 * or what anybody may read, where a publishable key is taken too. A secret key belongs in no page, and no page may send one.
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
