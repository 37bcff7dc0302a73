/**
 * Keys: values of a row that are sent to a source. A merchant writes them, so only a harmless one is sent; any other is the key
 * of nothing. In a URL, where Mesh puts values unencoded, a key is letters, digits, `-`, `_` and `.`, beginning with a letter or
 * digit: percent-encoding would leave each as it is, and no key is a path, a query or a template. In a variable of GraphQL it is
 * printable ASCII.
 */
const forms = {
  openapi: /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
  graphql: /^[\x20-\x7e]{1,255}$/,
} as const;

/** The key at the end of `path` in the JSON of a value; null where there is none that may be sent. */
export function keyIn(value: unknown, path: readonly string[], kind: keyof typeof forms): string | null {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return null;
    found = Reflect.get(found, step);
  }
  const text = typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : found;
  return typeof text === 'string' && forms[kind].test(text) ? text : null;
}
