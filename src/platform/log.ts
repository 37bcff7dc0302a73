/**
 * Structured logs, one JSON object per line. They never contain secrets, which includes the path of an RPC URL, because it
 * carries the key.
 */
import { pino, stdSerializers } from 'pino';
import { tracedRequestId } from './request-trace.ts';

export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * A log for one part of the program. It writes to standard error, so that standard output stays free for results. Each line
 * carries the id of the request that caused the work.
 */
export function openLog(options: { level: LogLevel; part: string }, destination?: { write(line: string): void }): Log {
  return pino(
    {
      level: options.level,
      base: { part: options.part },
      mixin: (line) => ('requestId' in line ? {} : { requestId: tracedRequestId() }),
      serializers: { error: printError, err: printError },
      redact: ['*.secret', '*.apiKey', '*.authorization', '*.privateKey', '*.rpcUrl'],
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

function printError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { type, ...code, message: withoutPaths(message), stack: withoutPaths(stack) };
}

/** Strips credentials and paths from URLs, because both may be secret. */
function withoutPaths(text: string): string {
  return text.replace(
    /\b(https?|wss?|postgres(?:ql)?):\/\/(?:[^\s/@]*@)?([^\s/"'<>)]+)(?:\/[^\s"'<>)]*)?/g,
    (_, scheme: string, host: string) => `${scheme}://${host}/…`,
  );
}
