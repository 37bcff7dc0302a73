import type pg from 'pg';

/** The queue's library retries after this code ("cannot connect now") and only a few others. */
const CANNOT_CONNECT_NOW = '57P03';
/** A standby refuses a write. */
const READ_ONLY = '25006';
/** Codes of a server that is shutting down, is down or does not respond, from Postgres, the system and the driver. */
const LOST = new Set([
  '57P01',
  '57P02',
  '57014',
  '25P03',
  READ_ONLY,
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
]);
const LOST_WORDS =
  /connection terminated|connection ended|not queryable|query read timeout|timeout exceeded|timeout expired/i;

/**
 * Wraps the pool so that a query on a lost connection fails in the same way as on a server that is starting up. The queue's
 * library then retries, where it would otherwise end the process with an unhandled rejection.
 */
export function patientPool(pool: pg.Pool): pg.Pool {
  return watching(pool, 'connect', (client) => (isObject(client) ? watching(client, 'query', (rows) => rows) : client));
}

/** Returns a proxy of `target` that passes the result of `method` through `then` and makes its connection errors retryable. */
function watching<Target extends object>(target: Target, method: string, then: (answer: unknown) => unknown): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(value, inner, args);
        if (name !== method || !(answer instanceof Promise)) return answer;
        return answer.then(then, (error: unknown) => {
          // The next connection may reach the primary.
          if (isReadOnly(error)) void end(inner);
          throw patient(error);
        });
      };
    },
  });
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

async function end(client: object): Promise<void> {
  const close: unknown = Reflect.get(client, 'end', client);
  if (typeof close === 'function') await Promise.resolve(Reflect.apply(close, client, [])).catch(() => undefined);
}

function patient(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (!LOST.has(code) && !LOST_WORDS.test(error.message)) return error;
  return Object.assign(error, { code: CANNOT_CONNECT_NOW });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
