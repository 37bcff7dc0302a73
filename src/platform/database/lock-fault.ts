/** Postgres' faults of locks, however deep the driver and Prisma have wrapped them. */
const LOCK_NOT_AVAILABLE = new Set(['55P03']);
/** Prisma has a code of its own for it. */
const DEADLOCK = new Set(['40P01', 'P2034']);

/** True when a statement gave up waiting for a lock (`lock_timeout` or NOWAIT). */
export function isLockTimeout(error: unknown): boolean {
  return carriesCode(error, LOCK_NOT_AVAILABLE);
}

/** True when Postgres chose the transaction as the victim of a deadlock: tried again, it goes through. */
export function isDeadlock(error: unknown): boolean {
  return carriesCode(error, DEADLOCK);
}

/** Whether the error, or what it wraps, has one of these SQLSTATEs, codes of Prisma's or kinds of the driver adapter's. */
export function carriesCode(value: unknown, codes: ReadonlySet<unknown>, depth = 0): boolean {
  if (depth > 6 || value === null || typeof value !== 'object') return false;
  for (const name of ['code', 'originalCode', 'kind']) {
    if (codes.has(Reflect.get(value, name))) return true;
  }
  return ['meta', 'cause', 'driverAdapterError'].some((name) =>
    carriesCode(Reflect.get(value, name), codes, depth + 1),
  );
}
