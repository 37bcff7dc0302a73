/** The definition of a command. */
import type { ParseArgsOptionsConfig } from 'node:util';

export type Given = {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  isJson: boolean;
  signal: AbortSignal;
};

export type Command = {
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  run(given: Given): Promise<void>;
};

/** The command was called with invalid arguments or without a required setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function text(given: Given, name: string): string | undefined {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
}

export function number(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} is not a whole number.`);
  return Number(value);
}
