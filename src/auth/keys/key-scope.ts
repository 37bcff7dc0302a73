/**
 * The scopes of a restricted key. A secret key without scopes may do everything for its app; a restricted one may do what
 * its scopes name, and nothing else that needs a credential. Which operation needs which scope is the API's table
 * (`api/graphql/server/access/key-scopes.ts`): exactly one each.
 */
export const keyScopes = [
  'READ',
  'PAYMENTS_WRITE',
  'REFUNDS',
  'CUSTOMERS_WRITE',
  'CATALOG_WRITE',
  'SUBSCRIPTIONS_WRITE',
  'INVOICES_WRITE',
  'WEBHOOKS',
  'SETTINGS',
  'KEYS',
  'AUDIT_LOG',
  'TEST_CLOCK',
] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The scopes of a stored key; null: it is not restricted. A name that this version does not know grants nothing. */
export function scopesOfKey(key: { isRestricted: boolean; scopes: readonly string[] }): readonly KeyScope[] | null {
  return key.isRestricted ? keyScopes.filter((scope) => key.scopes.includes(scope)) : null;
}
