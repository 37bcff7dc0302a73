/**
 * Keys: values of a row that are sent to a source. Merchants write them, so only harmless values are sent, and any other value has no
 * match. In a URL, where Mesh inserts values unencoded, a key consists of letters, digits, `-`, `_` and `.`, and begins with a letter or
 * digit. Percent-encoding would leave it unchanged, and it cannot be a path, a query or a template. In a GraphQL variable, a key is
 * printable ASCII.
 */
const forms = {
  openapi: /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
  graphql: /^[\x20-\x7e]{1,255}$/,
} as const;

/** Returns the key at the end of `path` in the JSON of a value, or null if there is none that may be sent. */
export function keyIn(value: unknown, path: readonly string[], kind: keyof typeof forms): string | null {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return null;
    found = Reflect.get(found, step);
  }
  const text = typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : found;
  return typeof text === 'string' && forms[kind].test(text) ? text : null;
}
