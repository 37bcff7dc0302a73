/**
 * Payments that this process has in hand. A payment buys one response, so a header that arrives twice at once is served once. The gateway
 * remembers what has paid for a response already, for all processes and after a restart.
 */

export type Claim = 'new' | 'resumed' | 'in_progress';

export type PaymentClaims = {
  begin(key: string): Claim;
  /** The payment's outcome is unknown, and the same payment may ask for it again. */
  suspend(key: string): void;
  end(key: string): void;
};

/** Suspended payments; the oldest goes first. */
const LARGEST_COUNT = 10_000;

export function openClaims(): PaymentClaims {
  const open = new Set<string>();
  const suspended = new Set<string>();
  return {
    begin: (key) => {
      if (open.has(key)) return 'in_progress';
      open.add(key);
      return suspended.delete(key) ? 'resumed' : 'new';
    },
    suspend: (key) => {
      open.delete(key);
      suspended.add(key);
      const [oldest] = suspended.size > LARGEST_COUNT ? suspended : [];
      if (oldest !== undefined) suspended.delete(oldest);
    },
    end: (key) => {
      open.delete(key);
    },
  };
}
