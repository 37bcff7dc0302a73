/**
 * Rate limits shared between processes without a statement per request: a process leases tokens of a bucket and spends them on
 * its own. A call takes one or more tokens, and at most the burst. Tokens not spent within a second are returned with the next
 * lease. Leases start at one token and double while they are used up quickly, so that a quiet caller leaves no tokens idle in
 * other processes. Tokens are taken from the bucket before they are leased: all processes together never admit more than the
 * bucket holds.
 */
import type { Bucket, TokenGrant } from './take-tokens.ts';

export type RateDecision = {
  allowed: boolean;
  bucket: Bucket;
  /** A lower bound of the tokens left, at least 0. */
  remaining: number;
  /** The seconds until a token is available if the call is not allowed; otherwise 0. */
  retryAfterSeconds: number;
};

export type RateLimiter = {
  /** Takes `units` whole tokens (default 1), all or none. Rejects with the store's error if the bucket cannot be read. */
  take(bucket: Bucket, units?: number): Promise<RateDecision>;
  /** The refusal if this process knows, without a query, that the bucket is empty now; otherwise undefined. */
  isKnownEmpty(bucket: Bucket): RateDecision | undefined;
};

type TakeTokens = (options: { bucket: Bucket; asked: number; returned: number }) => Promise<TokenGrant>;

type Lease = {
  held: number;
  size: number;
  leasedAtMs: number;
  /** Tokens in the shared bucket at the last query. */
  remaining: number;
  emptyUntilMs: number;
  asking: Promise<void> | undefined;
  /** Tokens that waiting callers need. */
  wanted: number;
};

const LEASE_MS = 1_000;
/** A process leases at most a tenth of the burst. */
const LARGEST_SHARE = 10;
const MAX_BUCKETS = 10_000;
/** How often a concurrent caller that lost the race for a lease tries again. */
const MAX_TURNS = 20;

/** `nowMs` is a monotonic clock in milliseconds. */
export function openRateLimiter({ take, nowMs }: { take: TakeTokens; nowMs: () => number }): RateLimiter {
  const leases = new Map<string, Lease>();

  async function ask(lease: Lease, bucket: Bucket): Promise<void> {
    const quick = nowMs() - lease.leasedAtMs < LEASE_MS;
    const largest = Math.max(1, Math.floor(bucket.burst / LARGEST_SHARE));
    lease.size = quick ? Math.min(largest, lease.size * 2) : 1;
    const asked = Math.max(lease.size, Math.min(lease.wanted, bucket.burst));
    const returned = lease.held;
    lease.held = 0;
    const grant = await take({ bucket, asked, returned });
    lease.held = grant.granted;
    lease.remaining = Math.max(0, grant.remaining);
    lease.leasedAtMs = nowMs();
    if (grant.granted < asked) lease.emptyUntilMs = nowMs() + ((1 - lease.remaining) / bucket.perSecond) * 1_000;
  }

  function decide(lease: Lease, bucket: Bucket, units: number): RateDecision | undefined {
    const now = nowMs();
    const isStale = now - lease.leasedAtMs >= LEASE_MS;
    if (isStale && lease.held > 0) return undefined;
    if (lease.held >= units) {
      lease.held -= units;
      return { allowed: true, bucket, remaining: Math.floor(lease.held + lease.remaining), retryAfterSeconds: 0 };
    }
    if (now >= lease.emptyUntilMs) return undefined;
    const missing = units - lease.held - lease.remaining;
    return refused(bucket, Math.max(lease.emptyUntilMs - now, (missing / bucket.perSecond) * 1_000));
  }

  return {
    async take(bucket, wanted = 1) {
      const units = Math.min(wanted, bucket.burst);
      const lease = leaseOf(leases, bucket.key, nowMs());
      for (let turn = 0; turn < MAX_TURNS; turn++) {
        const decision = decide(lease, bucket, units);
        if (decision) return decision;
        lease.wanted += units;
        lease.asking ??= ask(lease, bucket).finally(() => {
          lease.asking = undefined;
        });
        try {
          await lease.asking;
        } finally {
          lease.wanted -= units;
        }
      }
      return refused(bucket, (units / bucket.perSecond) * 1_000);
    },
    isKnownEmpty(bucket) {
      const lease = leases.get(bucket.key);
      const now = nowMs();
      if (!lease || lease.held > 0 || now >= lease.emptyUntilMs) return undefined;
      return refused(bucket, lease.emptyUntilMs - now);
    },
  };
}

function refused(bucket: Bucket, waitMs: number): RateDecision {
  return { allowed: false, bucket, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) };
}

function leaseOf(leases: Map<string, Lease>, key: string, now: number): Lease {
  const found = leases.get(key);
  if (found) return found;
  if (leases.size >= MAX_BUCKETS) {
    for (const [old, lease] of leases) {
      if (lease.wanted === 0 && (now - lease.leasedAtMs >= LEASE_MS || leases.size >= MAX_BUCKETS)) leases.delete(old);
      if (leases.size < MAX_BUCKETS / 2) break;
    }
  }
  const lease: Lease = {
    held: 0,
    size: 1,
    leasedAtMs: Number.NEGATIVE_INFINITY,
    remaining: 0,
    emptyUntilMs: Number.NEGATIVE_INFINITY,
    asking: undefined,
    wanted: 0,
  };
  leases.set(key, lease);
  return lease;
}

/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers), and Retry-After if the call is refused. */
export function rateLimitHeaders(decision: RateDecision): Record<string, string> {
  const { bucket } = decision;
  const windowSeconds = Math.max(1, Math.ceil(bucket.burst / bucket.perSecond));
  const missing = Math.max(0, bucket.burst - decision.remaining);
  const resetSeconds = decision.allowed ? Math.ceil(missing / bucket.perSecond) : decision.retryAfterSeconds;
  return {
    'ratelimit-policy': `"default";q=${bucket.burst};w=${windowSeconds}`,
    ratelimit: `"default";r=${decision.remaining};t=${resetSeconds}`,
    ...(decision.allowed ? {} : { 'retry-after': String(decision.retryAfterSeconds) }),
  };
}
