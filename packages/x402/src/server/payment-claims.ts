/**
 * Payments that this process is handling. A payment buys one response, so a header that arrives twice at once is served once. The gateway
 * remembers which attempt has learned of a payment's success, for all processes and after a restart.
 *
 * Each attempt to be paid for one response has a random id that no client sees. If the outcome is not learned, or is learned when the client
 * has left, the id is kept here, and the client's next request with the same payment continues the attempt. For every other
 * attempt, the gateway reports the payment as replayed.
 */

export type Claim =
  | { state: 'new'; attemptId: string }
  /** An earlier request submitted the payment and did not send a response. */
  | { state: 'resumed'; attemptId: string }
  | { state: 'in_progress' }
  /** The payment belongs to a client with another `requestId`. */
  | { state: 'of_another' };

export type PaymentClaims = {
  begin(key: string, requestId: string): Claim;
  /** No response was sent, and the client's next request with the same payment continues the attempt. */
  suspend(key: string, attempt: Attempt): void;
  end(key: string): void;
};

/** One attempt to be paid for one response, by the client with this `requestId`. */
export type Attempt = { requestId: string; attemptId: string };

/** Maximum number of suspended payments. The oldest one is evicted first. */
const LARGEST_COUNT = 10_000;

export function openClaims(): PaymentClaims {
  const open = new Map<string, Attempt>();
  const suspended = new Map<string, Attempt>();
  return {
    begin: (key, requestId) => {
      const known = open.get(key) ?? suspended.get(key);
      if (known && known.requestId !== requestId) return { state: 'of_another' };
      if (open.has(key)) return { state: 'in_progress' };
      const attemptId = known?.attemptId ?? crypto.randomUUID();
      open.set(key, { requestId, attemptId });
      suspended.delete(key);
      return { state: known ? 'resumed' : 'new', attemptId };
    },
    suspend: (key, attempt) => {
      open.delete(key);
      suspended.set(key, attempt);
      const [oldest] = suspended.size > LARGEST_COUNT ? suspended.keys() : [];
      if (oldest !== undefined) suspended.delete(oldest);
    },
    end: (key) => {
      open.delete(key);
    },
  };
}
