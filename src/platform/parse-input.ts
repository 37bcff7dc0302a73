import type { z } from 'zod';
import { type FieldFault, invalid } from '../errors.ts';

/** Validates the input; absent fields stay absent. Throws VALIDATION_ERROR, which names every invalid field. */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(inputFaults(parsed.error));
}

/** Each issue with the path of its field, such as `items[0].amount`. */
export function inputFaults(error: z.ZodError | undefined): FieldFault[] {
  return (error?.issues ?? []).map((issue) => ({ param: printPath(issue.path), message: issue.message }));
}

function printPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  );
}
