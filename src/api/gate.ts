/**
 * The gate of every API call, REST or GraphQL: names the request, asks who calls, and counts the call against a limit.
 * It runs before a body is read. A refusal is carried, not thrown, so that its answer has the same headers as any other.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { clientAddress } from '../platform/client-address.ts';
import type { Log } from '../platform/log.ts';
import { type RateLimiter, rateLimitHeaders } from '../platform/rate-limit.ts';
import { requestId } from '../platform/request-id.ts';
import type { Bucket } from '../platform/take-tokens.ts';

export type Admission = {
  requestId: string;
  address: string;
  principal: Principal;
  /** Of the header Idempotency-Key. */
  idempotencyKey: string | undefined;
  /** For every answer: x-request-id and the rate limit's. */
  headers: Record<string, string>;
  /** Why the call may not go on: AUTHENTICATION_ERROR, RATE_LIMIT_EXCEEDED, or a bug of ours. */
  refusal: unknown;
};

export type Gate = {
  admit(call: {
    method: string;
    headers: IncomingHttpHeaders;
    remoteAddress: string | undefined;
    requestId?: string | undefined;
    /** Where they do not come in the headers, as over a websocket. */
    credentials?: Credentials;
  }): Promise<Admission>;
  /** Counts one more operation of a caller who was admitted, as each one of a websocket; answers why it may not run. */
  recount(admission: Admission): Promise<unknown>;
};

export type GateOptions = {
  authenticate: (credentials: Credentials) => Promise<Principal>;
  limiter: RateLimiter;
  limits: { perSecond: number; burst: number; keylessPerSecond: number };
  trustedProxies: number;
  log: Log;
};

const anonymous: Principal = { kind: 'anonymous' };

export function openGate(options: GateOptions): Gate {
  const { authenticate, limiter, limits, trustedProxies, log } = options;

  /** Wrong credentials count against the address, so that they cannot be guessed without limit. */
  function bucketOf(principal: Principal, address: string): Bucket {
    const named = caller(principal);
    if (named !== undefined) return { key: named, perSecond: limits.perSecond, burst: limits.burst };
    return { key: `ip:${address}`, perSecond: limits.keylessPerSecond, burst: limits.keylessPerSecond };
  }

  async function count(admission: Admission, isWrite: boolean): Promise<void> {
    try {
      const decision = await limiter.take(bucketOf(admission.principal, admission.address));
      Object.assign(admission.headers, rateLimitHeaders(decision));
      if (decision.allowed) return;
      admission.refusal = new GatewayError('RATE_LIMIT_EXCEEDED', 'Too many requests; try again later.', {
        retryAfterSeconds: decision.retryAfterSeconds,
      });
    } catch (error) {
      log.error({ err: error, requestId: admission.requestId }, 'The rate limit could not be asked');
      // Without a count a read does little harm; a write that nobody counts could.
      if (!isWrite) return;
      admission.refusal = new GatewayError('RATE_LIMIT_EXCEEDED', 'The rate limit cannot be checked now; try again.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }

  return {
    async admit({ method, headers, remoteAddress, requestId: named, credentials }) {
      const id = named ?? requestId(single(headers['x-request-id']));
      const forwardedFor = single(headers['x-forwarded-for']);
      const admission: Admission = {
        requestId: id,
        address: clientAddress({ remoteAddress, forwardedFor, trustedProxies }),
        principal: anonymous,
        idempotencyKey: single(headers['idempotency-key']),
        headers: { 'x-request-id': id },
        refusal: undefined,
      };
      try {
        admission.principal = await authenticate(
          credentials ?? {
            apiKey: single(headers['x-api-key']),
            authorization: headers.authorization,
            clientSecret: single(headers['x-client-secret']),
          },
        );
      } catch (error) {
        admission.refusal = error;
      }
      await count(admission, method !== 'GET' && method !== 'HEAD');
      return admission;
    },
    async recount(admission) {
      const again = { ...admission, headers: {}, refusal: undefined };
      await count(again, true);
      return again.refusal;
    },
  };
}

function caller(principal: Principal): string | undefined {
  switch (principal.kind) {
    case 'apiKey':
      return `key:${principal.apiKeyId}`;
    case 'member':
      return `member:${principal.memberId}`;
    case 'platform':
      return `platform:${principal.credentialId}`;
    case 'card':
      return `card:${principal.userId}`;
    case 'session':
    // Wallets cost nothing to make, so that each is no caller of its own.
    case 'payer':
    case 'anonymous':
      return undefined;
    default:
      return principal satisfies never;
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
