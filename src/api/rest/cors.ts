/** Cross-origin headers, for a session's own paths and the card API's: the credential is in a header, and no cookie is. */

export const corsHeaders: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, ratelimit, ratelimit-policy, retry-after, idempotent-replayed',
};

const PREFLIGHT_SECONDS = 600;

export function preflightHeaders(allow: string): Record<string, string> {
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'content-type, authorization, x-client-secret, idempotency-key, x-request-id',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}
