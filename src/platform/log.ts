/** Structured logs: one JSON line each, or readable lines in development. Secrets never reach it. */
import { pino } from 'pino';

export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A log of one part of the program, writing to standard error so that standard output stays for answers. */
export function openLog(options: { level: LogLevel; part: string }): Log {
  return pino(
    {
      level: options.level,
      base: { part: options.part },
      redact: ['*.secret', '*.apiKey', '*.authorization', '*.privateKey', '*.rpcUrl'],
    },
    pino.destination({ dest: 2, sync: false }),
  );
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
