import type pg from 'pg';

/** The queue's library tries again after this code ("cannot connect now"), and after few others. */
const CANNOT_CONNECT_NOW = '57P03';
/** A server that ends, has ended or does not answer in time, as Postgres, the system and the driver word it. */
const LOST = new Set([
  '57P01',
  '57P02',
  '57014',
  '25P03',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
]);
const LOST_WORDS =
  /connection terminated|connection ended|not queryable|query read timeout|timeout exceeded|timeout expired/i;

/**
 * The same pool, whose queries fail on a lost connection as they do on a server that starts: the queue's library then
 * asks again, where it would have ended the process with a rejection that nobody handles.
 */
export function patientPool(pool: pg.Pool): pg.Pool {
  return watching(pool, 'connect', (client) => (isObject(client) ? watching(client, 'query', (rows) => rows) : client));
}

/** `target`, where what `method` promises goes through `then`, and its failures are made patient. */
function watching<Target extends object>(target: Target, method: string, then: (answer: unknown) => unknown): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(value, inner, args);
        if (name !== method || !(answer instanceof Promise)) return answer;
        return answer.then(then, (error: unknown) => {
          throw patient(error);
        });
      };
    },
  });
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
