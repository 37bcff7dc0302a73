/** Postgres' lock_not_available, however deep the driver and Prisma have wrapped it. */
const LOCK_NOT_AVAILABLE = '55P03';

/** True when a statement gave up waiting for a lock (`lock_timeout` or NOWAIT). */
export function isLockTimeout(error: unknown): boolean {
  return carries(error, 0);
}

function carries(value: unknown, depth: number): boolean {
  if (depth > 6 || value === null || typeof value !== 'object') return false;
  for (const name of ['code', 'originalCode']) {
    if (Reflect.get(value, name) === LOCK_NOT_AVAILABLE) return true;
  }
  return ['meta', 'cause', 'driverAdapterError'].some((name) => carries(Reflect.get(value, name), depth + 1));
}
