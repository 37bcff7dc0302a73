/**
 * Payments that this process is handling. A payment buys one response, so a header that arrives twice at once is served once. The gateway
 * remembers which attempt has learned of a payment's success, for all processes and after a restart.
 *
 * Each attempt to be paid for one response has a random id that no client sees. If the outcome is not learned, or is learned when the client
 * has left, the id is kept here, and the client's next request with the same payment continues the attempt. For every other
 * attempt, the gateway reports the payment as replayed.
 */
import type { PaidCall } from './paid-call.ts';
import type { PayOptions } from './pay-options.ts';

export type Claim =
  | { state: 'new'; attempt: Attempt }
  /** An earlier request submitted the payment and did not send a response. */
  | { state: 'resumed'; attempt: Attempt }
  | { state: 'in_progress' }
  /** The payment belongs to a client with another `requestId`. */
  | { state: 'of_another' };

export type PaymentClaims = {
  /** What the payment was accepted for, if its client has presented it before and it has bought no response. */
  find(key: string, requestId: string): Accepted | undefined;
  begin(key: string, requestId: string, accepted: Accepted): Claim;
  /** No response was sent, and the client's next request with the same payment continues the attempt. */
  suspend(key: string, attempt: Attempt): void;
  end(key: string): void;
};

/** The route for which a payment was accepted, and the call if the price depends on it. The call is undefined if it was evicted. */
export type Accepted = { options: PayOptions; call: PaidCall | undefined };

/** One attempt to be paid for one response, by the client with this `requestId`. */
export type Attempt = Accepted & { requestId: string; attemptId: string };

/** Maximum number of suspended payments. The oldest one is evicted first. */
const LARGEST_COUNT = 10_000;
/** Maximum number of suspended payments with their calls, which may have large bodies. */
const LARGEST_CALL_COUNT = 200;

export function openClaims(): PaymentClaims {
  const open = new Map<string, Attempt>();
  const suspended = new Map<string, Attempt>();
  const withCall = new Set<string>();
  const forget = (key: string) => {
    suspended.delete(key);
    withCall.delete(key);
  };
  const find = (key: string) => open.get(key) ?? suspended.get(key);
  return {
    find: (key, requestId) => {
      const known = find(key);
      return known?.requestId === requestId ? known : undefined;
    },
    begin: (key, requestId, accepted) => {
      const known = find(key);
      if (known && known.requestId !== requestId) return { state: 'of_another' };
      if (open.has(key)) return { state: 'in_progress' };
      const attempt = known ?? { ...accepted, requestId, attemptId: crypto.randomUUID() };
      open.set(key, attempt);
      forget(key);
      return { state: known ? 'resumed' : 'new', attempt };
    },
    suspend: (key, attempt) => {
      open.delete(key);
      suspended.set(key, attempt);
      if (attempt.call) withCall.add(key);
      const [oldest] = suspended.size > LARGEST_COUNT ? suspended.keys() : [];
      if (oldest !== undefined) forget(oldest);
      const [bare] = withCall.size > LARGEST_CALL_COUNT ? withCall : [];
      const stripped = bare === undefined ? undefined : suspended.get(bare);
      if (bare === undefined || !stripped) return;
      suspended.set(bare, { ...stripped, call: undefined });
      withCall.delete(bare);
    },
    end: (key) => {
      open.delete(key);
    },
  };
}
