/** What a key may do, from where and until when; and that no key hands out more than it has. */
import type { ApiKey } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { ApiKeyKind } from '../api-key.ts';
import { type KeyScope, scopesOfKey } from './key-scope.ts';
import { isWithinNetworks } from './network.ts';

export type KeyRights = {
  kind: ApiKeyKind;
  /** Null: everything that a secret key may do. */
  scopes: readonly KeyScope[] | null;
  /** In CIDR notation; none: any. */
  networks: readonly string[];
  /** The end that was chosen when the key was made; null: none. */
  endsAt: Date | null;
};

export function rightsOf(
  key: Pick<ApiKey, 'kind' | 'isRestricted' | 'scopes' | 'allowedNetworks' | 'termEndsAt'>,
): KeyRights {
  return { kind: key.kind, scopes: scopesOfKey(key), networks: key.allowedNetworks, endsAt: key.termEndsAt };
}

/** What the audit log tells of a key: nothing that opens anything. */
export function keyFacts(
  key: Pick<ApiKey, 'kind' | 'name' | 'prefix' | 'isRestricted' | 'scopes' | 'allowedNetworks' | 'expiresAt'>,
): Record<string, unknown> {
  const { kind, name, prefix, allowedNetworks, expiresAt } = key;
  return { kind, name, prefix, scopes: scopesOfKey(key), allowedNetworks, expiresAt };
}

/** AUTHORIZATION_ERROR where a key with `own` rights would make one that may do more, be used elsewhere or last longer. */
export function demandWithinRights(own: KeyRights, wanted: KeyRights): void {
  const excess = [scopeExcess(own, wanted), networkExcess(own, wanted), endExcess(own, wanted)].filter(
    (words) => words !== null,
  );
  if (excess.length === 0) return;
  throw new GatewayError(
    'AUTHORIZATION_ERROR',
    `A key cannot make a key with more rights than its own: ${excess.join('; ')}.`,
  );
}

function scopeExcess(own: KeyRights, wanted: KeyRights): string | null {
  if (own.scopes === null) return null;
  // What a publishable key may read, READ covers.
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
