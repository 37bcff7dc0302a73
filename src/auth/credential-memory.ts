/**
 * What a process remembers of credentials, for reads only (docs/decisions/0086): what the database says of them and never a
 * verdict, since ends, networks and secrets are judged at every use. A write judges its caller in its own transaction, by
 * the database (`demandCredential`).
 */
import { type Database, onOwnChange } from '../../prisma/client.ts';
import { inLane } from '../../prisma/database-pools.ts';
import type { Listener } from '../platform/database/listener.ts';
import { openRowMemory, type RememberedRow } from '../platform/database/row-memory.ts';
import type { AppMode } from './api-key.ts';
import type { Principal } from './principal.ts';
import type { TokenClaims } from './tokens/token.ts';

/** Of the migration `credential_changes`. */
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

/** A login that was not ended, of a member who was not removed. */
export type LoginRow = {
  memberId: string;
  expiresAt: Date;
  member: Pick<Extract<Principal, { kind: 'member' }>, 'merchantId' | 'role' | 'isOperator'>;
};

/** A session of the card API that is not revoked. */
export type CardRow = { userId: string; expiresAt: Date };

/** A checkout session, in whatever state. */
export type SessionRow = {
  id: string;
  appId: string;
  clientSecretHash: Uint8Array<ArrayBuffer>;
  app: { merchantId: string };
};

/** A token whose signature was verified by the key of that id. */
export type TokenRow = { kid: string; claims: TokenClaims };

export type CredentialMemory = {
  /** By the SHA-256 of the secret, in base64, as are platform credentials. */
  keys: RememberedRow<KeyRow>;
  platform: RememberedRow<PlatformRow>;
  /** By id, as are card sessions and checkout sessions. */
  logins: RememberedRow<LoginRow>;
  cards: RememberedRow<CardRow>;
  sessions: RememberedRow<SessionRow>;
  /** By the SHA-256 of the token, in base64. */
  tokens: RememberedRow<TokenRow>;
  size(): number;
  close(): void;
};

/** `listener` must be connected to the database of `database`; `limit` is that of the row memory. */
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

/** The row from memory, where there is one, else by `load` over the connections that are kept for credentials. */
export function recall<Row>(
  remembered: RememberedRow<Row> | undefined,
  key: string,
  load: () => Promise<Row>,
): Promise<Row> {
  const find = () => inLane('credentials', load);
  return remembered ? remembered(key, find) : find();
}
