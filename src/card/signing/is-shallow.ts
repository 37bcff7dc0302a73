const DEEPEST = 32;

/** Whether a JSON value is nested no deeper than any wallet's parameters are; what walks it can then not run out of stack. */
export function isShallow(value: unknown, depth = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}
