/**
 * The gate of every API call, REST or GraphQL. It assigns a request id, authenticates the caller, and counts the call against the rate
 * limit, before the body is read. A call costs one unit; a GraphQL operation costs more units by its complexity before it is executed. A
 * refusal is returned instead of thrown, so that its response has the same headers as any other.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Credentials } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { clientAddress, fullClientAddress } from '../platform/client-address.ts';
import { databaseFault, unavailable } from '../platform/database/database-fault.ts';
import { type RateDecision, type RateLimiter, rateLimitHeaders } from '../platform/limits/rate-limit.ts';
import type { Bucket } from '../platform/limits/take-tokens.ts';
import type { Log } from '../platform/log.ts';
import { requestId } from '../platform/request-id.ts';

export type Admission = {
  requestId: string;
  /** The address by which calls without a key are counted. */
  address: string;
  /** The full address of the caller. */
  callerAddress: string;
  userAgent: string | undefined;
  principal: Principal;
  /** The client secret that was sent, valid or not. It must not be logged. */
  clientSecret: string | undefined;
  /** The value of the header Idempotency-Key. */
  idempotencyKey: string | undefined;
  /** The headers of every response: x-request-id and those of the rate limit. */
  headers: Record<string, string>;
  /** Why the call is refused: AUTHENTICATION_ERROR, AUTHORIZATION_ERROR, RATE_LIMIT_EXCEEDED, UNAVAILABLE, or an unexpected error. */
  refusal: unknown;
};

export type Gate = {
  admit(call: Call): Promise<Admission>;
  /** Charges more units to an admitted caller and updates the admission's headers. Returns the reason for a refusal, or undefined. */
  charge(admission: Admission, units: number): Promise<unknown>;
  /** Checks a connection by its address only, before anything is read from it. `refusal` may be RATE_LIMIT_EXCEEDED. */
  admitAddress(
    call: Pick<Call, 'headers' | 'remoteAddress'> & { method?: string | undefined },
  ): Promise<{ address: string; refusal: unknown }>;
};

/** What pages without a credential need of the gate. */
export type AddressGate = Pick<Gate, 'admitAddress'>;

type Call = {
  method: string;
  headers: IncomingHttpHeaders;
  remoteAddress: string | undefined;
  requestId?: string | undefined;
  /** Set if the credentials are not in the headers, as over a WebSocket. */
  credentials?: Credentials;
  /** Whether to check the credential against the database even if it is cached, as for connections that stay open. */
  stays?: boolean;
};

export type GateOptions = {
  /** With `isFresh`, the database is queried and no cached row is used. */
  authenticate: (credentials: Credentials, options: { isFresh: boolean }) => Promise<Principal>;
  limiter: RateLimiter;
  limits: { perSecond: number; burst: number; keylessPerSecond: number };
  trustedProxies: number;
  log: Log;
};

const anonymous: Principal = { kind: 'anonymous' };
/** Recently valid credentials, by hash. They remain usable while other calls from their address exceed its limit. */
const REMEMBERED_CREDENTIALS = 10_000;
const REMEMBERED_MS = 600_000;

export function openGate(options: GateOptions): Gate {
  const { authenticate, limiter, limits, trustedProxies, log } = options;
  const good = new LRUCache<string, true>({ max: REMEMBERED_CREDENTIALS, ttl: REMEMBERED_MS });

  function bucketOfAddress(address: string): Bucket {
    return { key: `ip:${address}`, perSecond: limits.keylessPerSecond, burst: limits.keylessPerSecond };
  }

  /** Invalid credentials are counted against the address, so that they cannot be guessed without limit. */
  function bucketOf(principal: Principal, address: string): Bucket {
    const named = caller(principal);
    if (named === undefined) return bucketOfAddress(address);
    return { key: named, perSecond: limits.perSecond, burst: limits.burst };
  }

  function connectionOf({ headers, remoteAddress }: Pick<Call, 'headers' | 'remoteAddress'>) {
    return { remoteAddress, forwardedFor: single(headers['x-forwarded-for']), trustedProxies };
  }

  async function count(admission: Admission, { units, isWrite }: { units: number; isWrite: boolean }): Promise<void> {
    try {
      const decision = await limiter.take(bucketOf(admission.principal, admission.address), units);
      Object.assign(admission.headers, rateLimitHeaders(decision));
      if (!decision.allowed) admission.refusal = tooMany(decision);
    } catch (error) {
      log.error({ err: error, requestId: admission.requestId }, 'The rate limit could not be checked.');
      // An uncounted read does little harm, but an uncounted write could.
      if (isWrite) admission.refusal = unavailable(databaseFault(error) ?? 'away', error);
    }
  }

  /** Throws what `authenticate` throws. No further credentials are looked up for an address that has reached its limit. */
  async function identify(
    credentials: Credentials,
    { address, isFresh }: { address: string; isFresh: boolean },
  ): Promise<Principal> {
    const { apiKey, authorization, clientSecret } = credentials;
    const shown = apiKey ?? authorization ?? clientSecret;
    if (shown === undefined) return anonymous;
    const name = hash('sha256', shown, 'base64');
    const isEmpty = good.has(name) ? undefined : limiter.isKnownEmpty(bucketOfAddress(address));
    if (isEmpty) throw tooMany(isEmpty);
    const principal = await authenticate(credentials, { isFresh });
    good.set(name, true);
    return principal;
  }

  return {
    async admit({ method, headers, remoteAddress, requestId: named, credentials, stays = false }) {
      const id = named ?? requestId(single(headers['x-request-id']));
      const connection = connectionOf({ headers, remoteAddress });
      const callerAddress = fullClientAddress(connection);
      const shown = credentials ?? {
        apiKey: single(headers['x-api-key']),
        authorization: headers.authorization,
        clientSecret: single(headers['x-client-secret']),
      };
      const admission: Admission = {
        requestId: id,
        address: clientAddress(connection),
        callerAddress,
        userAgent: headers['user-agent'],
        principal: anonymous,
        clientSecret: shown.clientSecret,
        idempotencyKey: single(headers['idempotency-key']),
        headers: { 'x-request-id': id },
        refusal: undefined,
      };
      try {
        const { address } = admission;
        admission.principal = await identify({ ...shown, callerAddress }, { address, isFresh: stays });
      } catch (error) {
        admission.refusal = error;
      }
      // If the database could not authenticate the caller, it is not used to count the call.
      if (databaseFault(admission.refusal)) return admission;
      await count(admission, { units: 1, isWrite: method !== 'GET' && method !== 'HEAD' });
      return admission;
    },
    async charge(admission, units) {
      const again = { ...admission, refusal: undefined };
      await count(again, { units, isWrite: true });
      return again.refusal;
    },
    async admitAddress({ method = 'GET', headers, remoteAddress }) {
      const { refusal, address } = await this.admit({ method, headers, remoteAddress, credentials: {} });
      return { address, refusal };
    },
  };
}

function tooMany({ retryAfterSeconds }: RateDecision): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', 'Too many requests. Try again later.', { retryAfterSeconds });
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
    // Wallets can be created at no cost, so they are not counted individually.
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

/**
 * Counts a request for a page by its network address, whatever credentials it carries. Returns RATE_LIMIT_EXCEEDED if the page must not be
 * served, and otherwise undefined. Throws if the database cannot count.
 */
export async function refusalByAddress(
  gate: AddressGate,
  { method, headers, socket }: IncomingMessage,
): Promise<unknown> {
  const { refusal } = await gate.admitAddress({ method, headers, remoteAddress: socket.remoteAddress });
  if (databaseFault(refusal)) throw refusal;
  return refusal;
}
