/** The restrictions of a new key. */
import type { ApiKeyScope } from '../../../../../generated/web/documents.ts';

export type KeyLimits = {
  /** Null for all scopes. */
  scopes: readonly ApiKeyScope[] | null;
  /** The networks as typed: one per line, or separated by commas. */
  networks: string;
  /** The last day, in the format of the browser's date field. Empty if the key does not expire. */
  lastDay: string;
};

export const noLimits: KeyLimits = { scopes: null, networks: '', lastDay: '' };

const scopeOrder: Record<ApiKeyScope, number> = {
  READ: 0,
  PAYMENTS_WRITE: 1,
  REFUNDS: 2,
  CUSTOMERS_WRITE: 3,
  CATALOG_WRITE: 4,
  SUBSCRIPTIONS_WRITE: 5,
  USAGE_WRITE: 6,
  X402: 7,
  INVOICES_WRITE: 8,
  WEBHOOKS: 9,
  SETTINGS: 10,
  KEYS: 11,
  AUDIT_LOG: 12,
  TEST_CLOCK: 13,
};

// The record contains exactly the scopes, which its type ensures.
export const keyScopes = Object.keys(scopeOrder) as ApiKeyScope[];

/** The typed networks in their order. */
export function networksOf(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The input of the API. A publishable key has no scopes. The key expires at the end of its last day in the browser's zone. */
export function limitsInput(
  kind: 'SECRET' | 'PUBLISHABLE',
  { scopes, networks, lastDay }: KeyLimits,
): { scopes: ApiKeyScope[] | null; allowedNetworks: string[] | null; expiresAt: string | null } {
  const allowed = networksOf(networks);
  const end = new Date(`${lastDay}T23:59:59`);
  return {
    scopes: kind === 'SECRET' && scopes ? [...scopes] : null,
    allowedNetworks: allowed.length === 0 ? null : allowed,
    expiresAt: lastDay === '' || Number.isNaN(end.getTime()) ? null : end.toISOString(),
  };
}
