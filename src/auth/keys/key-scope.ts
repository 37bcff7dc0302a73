/**
 * The scopes of a restricted key. A secret key without scopes may do everything for its app. A restricted key may do only what its scopes
 * allow. Each operation requires exactly one scope, as listed in `api/graphql/server/access/key-scopes.ts`.
 */
export const keyScopes = [
  'READ',
  'PAYMENTS_WRITE',
  'REFUNDS',
  'CUSTOMERS_WRITE',
  'CATALOG_WRITE',
  'SUBSCRIPTIONS_WRITE',
  'USAGE_WRITE',
  'X402',
  'INVOICES_WRITE',
  'WEBHOOKS',
  'SETTINGS',
  'KEYS',
  'AUDIT_LOG',
  'TEST_CLOCK',
] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Returns the scopes of a stored key, or null if it is not restricted. Names that this version does not know grant nothing. */
export function scopesOfKey(key: { isRestricted: boolean; scopes: readonly string[] }): readonly KeyScope[] | null {
  return key.isRestricted ? keyScopes.filter((scope) => key.scopes.includes(scope)) : null;
}
