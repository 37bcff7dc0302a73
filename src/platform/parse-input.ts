import type { z } from 'zod';
import { type FieldFault, invalid } from '../errors.ts';

/** The input within its limits, an absent field still absent; VALIDATION_ERROR names every bad field. */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(inputFaults(parsed.error));
}

/** Each issue under the path of its field, such as `items[0].amount`. */
export function inputFaults(error: z.ZodError | undefined): FieldFault[] {
  return (error?.issues ?? []).map((issue) => ({ param: printPath(issue.path), message: issue.message }));
}

function printPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  );
}
