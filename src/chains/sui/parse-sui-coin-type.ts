const SHAPE = /^0x[0-9a-zA-Z_:<>, ]{1,500}$/;

/**
 * Returns a coin's Move type in its full form (`0x…::module::NAME`, addresses of 64 digits), or null. Names of the package registry
 * (`@…`) are refused, because they would need a network request. Loads the Sui library.
 */
export async function parseSuiCoinType(text: string): Promise<string | null> {
  if (!SHAPE.test(text)) return null;
  const { isValidStructTag, normalizeStructTag } = await import('@mysten/sui/utils');
  try {
    const full = normalizeStructTag(text);
    return isValidStructTag(full) ? full : null;
  } catch {
    return null;
  }
}
