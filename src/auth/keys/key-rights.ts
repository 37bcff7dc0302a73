/** The rights of a key: scopes, networks and expiry. A key cannot grant more than its own rights. */
import type { ApiKey } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { ApiKeyKind } from '../api-key.ts';
import { type KeyScope, scopesOfKey } from './key-scope.ts';
import { isWithinNetworks } from './network.ts';

export type KeyRights = {
  kind: ApiKeyKind;
  /** Null if the key may do everything that a secret key may do. */
  scopes: readonly KeyScope[] | null;
  /** In CIDR notation. Empty if any network is allowed. */
  networks: readonly string[];
  /** The expiry that was chosen when the key was created. Null if the key does not expire. */
  endsAt: Date | null;
};

export function rightsOf(
  key: Pick<ApiKey, 'kind' | 'isRestricted' | 'scopes' | 'allowedNetworks' | 'termEndsAt'>,
): KeyRights {
  return { kind: key.kind, scopes: scopesOfKey(key), networks: key.allowedNetworks, endsAt: key.termEndsAt };
}

/** Returns the facts about a key for the audit log, without anything secret. */
export function keyFacts(
  key: Pick<ApiKey, 'kind' | 'name' | 'prefix' | 'isRestricted' | 'scopes' | 'allowedNetworks' | 'expiresAt'>,
): Record<string, unknown> {
  const { kind, name, prefix, allowedNetworks, expiresAt } = key;
  return { kind, name, prefix, scopes: scopesOfKey(key), allowedNetworks, expiresAt };
}

/** Throws AUTHORIZATION_ERROR if `wanted` exceeds the rights `own` in scopes, networks or expiry. */
export function requireWithinRights(own: KeyRights, wanted: KeyRights): void {
  const excess = [scopeExcess(own, wanted), networkExcess(own, wanted), endExcess(own, wanted)].filter(
    (words) => words !== null,
  );
  if (excess.length === 0) return;
  throw new GatewayError(
    'AUTHORIZATION_ERROR',
    `A key cannot create a key with more permissions than its own: ${excess.join('; ')}.`,
  );
}

function scopeExcess(own: KeyRights, wanted: KeyRights): string | null {
  if (own.scopes === null) return null;
  // READ includes everything that a publishable key may read.
  const scopes = wanted.kind === 'PUBLISHABLE' ? (['READ'] as const) : wanted.scopes;
  if (scopes === null) return 'scopes must be among its own';
  const missing = scopes.filter((scope) => !own.scopes?.includes(scope));
  return missing.length === 0 ? null : `it lacks the scope ${missing.join(', ')}`;
}

function networkExcess(own: KeyRights, wanted: KeyRights): string | null {
  if (own.networks.length === 0) return null;
  if (wanted.networks.length === 0) return 'allowedNetworks must lie in its own';
  const outside = wanted.networks.filter((network) => !isWithinNetworks(network, own.networks));
  return outside.length === 0 ? null : `allowedNetworks must lie in its own, and ${outside.join(', ')} does not`;
}

function endExcess(own: KeyRights, wanted: KeyRights): string | null {
  if (own.endsAt === null) return null;
  if (wanted.endsAt !== null && wanted.endsAt <= own.endsAt) return null;
  return `expiresAt must be at most ${own.endsAt.toISOString()}`;
}
