/** The SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = new Set(['55P03']);
/** The SQLSTATE of a deadlock, and Prisma's own code for it. */
const DEADLOCK = new Set(['40P01', 'P2034']);

/** True when a statement gave up waiting for a lock (`lock_timeout` or NOWAIT). */
export function isLockTimeout(error: unknown): boolean {
  return carriesCode(error, LOCK_NOT_AVAILABLE);
}

/** True when Postgres aborted the transaction to resolve a deadlock; it can be retried. */
export function isDeadlock(error: unknown): boolean {
  return carriesCode(error, DEADLOCK);
}

/** Whether the error, or an error that it wraps, has one of these SQLSTATEs, Prisma codes or driver adapter kinds. */
export function carriesCode(value: unknown, codes: ReadonlySet<unknown>, depth = 0): boolean {
  if (depth > 6 || value === null || typeof value !== 'object') return false;
  for (const name of ['code', 'originalCode', 'kind']) {
    if (codes.has(Reflect.get(value, name))) return true;
  }
  return ['meta', 'cause', 'driverAdapterError'].some((name) =>
    carriesCode(Reflect.get(value, name), codes, depth + 1),
  );
}
