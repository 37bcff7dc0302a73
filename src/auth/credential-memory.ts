/**
 * The credentials that a process caches for reads (docs/decisions/0086). It caches rows, never decisions: expiry, networks and secrets are
 * checked at every use. Writes check their caller against the database in their own transaction (`requireCredential`).
 */
import { type Database, onOwnChange } from '../../prisma/client.ts';
import { inLane } from '../../prisma/database-pools.ts';
import type { Listener } from '../platform/database/listener.ts';
import { openRowMemory, type RememberedRow } from '../platform/database/row-memory.ts';
import type { AppMode } from './api-key.ts';
import type { Principal } from './principal.ts';
import type { TokenClaims } from './tokens/token.ts';

/** Defined in the migration `credential_changes`. */
const CHANNEL = 'sluice_credentials';

/** An API key that is not revoked. */
export type KeyRow = {
  id: string;
  kind: 'SECRET' | 'PUBLISHABLE';
  appId: string;
  expiresAt: Date | null;
  isRestricted: boolean;
  scopes: string[];
  allowedNetworks: string[];
  app: { merchantId: string; mode: AppMode };
};

/** A credential of the installation that is not revoked. */
export type PlatformRow = { id: string; role: 'OPERATOR' | 'ARBITER' };

/** A login that has not been ended, of a member who has not been removed. */
export type LoginRow = {
  memberId: string;
  expiresAt: Date;
  member: Pick<Extract<Principal, { kind: 'member' }>, 'merchantId' | 'role' | 'isOperator'>;
};

/** A session of the card API that is not revoked. */
export type CardRow = { userId: string; expiresAt: Date };

/** A checkout session in any state. */
export type SessionRow = {
  id: string;
  appId: string;
  clientSecretHash: Uint8Array<ArrayBuffer>;
  app: { merchantId: string };
};

/** A token whose signature was verified with the key `kid`. */
export type TokenRow = { kid: string; claims: TokenClaims };

export type CredentialMemory = {
  /** By the SHA-256 hash of the secret in base64, as are platform credentials. */
  keys: RememberedRow<KeyRow>;
  platform: RememberedRow<PlatformRow>;
  /** By id, as are card sessions and checkout sessions. */
  logins: RememberedRow<LoginRow>;
  cards: RememberedRow<CardRow>;
  sessions: RememberedRow<SessionRow>;
  /** By the SHA-256 hash of the token in base64. */
  tokens: RememberedRow<TokenRow>;
  size(): number;
  close(): void;
};

/** `listener` must be connected to the same database. `limit` is the limit of the row memory. */
export function openCredentialMemory(options: {
  database: Database;
  listener: Listener;
  limit?: number;
  nowMs?: () => number;
}): CredentialMemory {
  const { database, ...rest } = options;
  const rows = openRowMemory({ ...rest, channel: CHANNEL, onOwnChange: (forget) => onOwnChange(database, forget) });
  return {
    keys: rows.kind('key'),
    platform: rows.kind('platform'),
    logins: rows.kind('login'),
    cards: rows.kind('card'),
    sessions: rows.kind('session'),
    tokens: rows.kind('token'),
    size: rows.size,
    close: rows.close,
  };
}

/** Returns the cached row, or else loads it over the connections reserved for credentials. */
export function recall<Row>(
  remembered: RememberedRow<Row> | undefined,
  key: string,
  load: () => Promise<Row>,
): Promise<Row> {
  const find = () => inLane('credentials', load);
  return remembered ? remembered(key, find) : find();
}
