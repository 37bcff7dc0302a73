import { hash } from 'node:crypto';
import type { Database } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { clientSecretMatches, sessionIdOf } from './client-secret.ts';
import { type CredentialMemory, type KeyRow, type PlatformRow, recall, type SessionRow } from './credential-memory.ts';
import { scopesOfKey } from './keys/key-scope.ts';
import { networksAllow } from './keys/network.ts';
import { noteKeyUse } from './keys/note-key-use.ts';
import type { Principal } from './principal.ts';
import type { TokenWorld } from './tokens/issue-token.ts';
import { verifyToken } from './tokens/verify-token.ts';

/** The credentials of a request, by the header or connection parameter that contains them. */
export type Credentials = {
  apiKey?: string | undefined;
  /** The full value of the header `Authorization`. */
  authorization?: string | undefined;
  clientSecret?: string | undefined;
  /** The full address of the caller, because an API key may be restricted to networks. */
  callerAddress?: string | undefined;
};

/** Without `memory`, every call queries the database. */
export type AuthenticateWorld = TokenWorld & { database: Database; memory?: CredentialMemory | undefined };

const LONGEST_CREDENTIAL = 8192;

/**
 * Determines the caller by the API key, or else the bearer token, or else the client secret; without any of them, the caller is anonymous.
 * Throws AUTHENTICATION_ERROR for a credential that is wrong, expired or revoked, regardless of the others, and AUTHORIZATION_ERROR for a
 * key that may not be used from the caller's network.
 */
export async function authenticate(world: AuthenticateWorld, credentials: Credentials): Promise<Principal> {
  const { apiKey, authorization, clientSecret, callerAddress } = credentials;
  for (const text of [apiKey, authorization, clientSecret]) {
    if (text !== undefined && text.length > LONGEST_CREDENTIAL) throw refused('The credential is too long.');
  }
  if (apiKey !== undefined) return keyPrincipal(world, { secret: apiKey, callerAddress });
  if (authorization !== undefined) return tokenPrincipal(world, authorization);
  if (clientSecret !== undefined) return sessionPrincipal(world, clientSecret);
  return { kind: 'anonymous' };
}

async function keyPrincipal(
  world: AuthenticateWorld,
  { secret, callerAddress }: { secret: string; callerAddress: string | undefined },
): Promise<Principal> {
  const keyHash = hash('sha256', secret, 'base64');
  if (secret.startsWith('op_') || secret.startsWith('ar_')) return platformPrincipal(world, keyHash);
  const key = await recall(world.memory?.keys, keyHash, () => findKey(world.database, keyHash));
  if (key.expiresAt !== null && key.expiresAt <= world.clock.now()) throw refused('The API key has expired.');
  if (key.allowedNetworks.length > 0 && !networksAllow(key.allowedNetworks, callerAddress ?? '')) {
    throw new GatewayError('AUTHORIZATION_ERROR', 'This key may not be used from this network.');
  }
  noteKeyUse(world, key.id);
  return {
    kind: 'apiKey',
    keyKind: key.kind,
    apiKeyId: key.id,
    keyHash,
    appId: key.appId,
    merchantId: key.app.merchantId,
    mode: key.app.mode,
    scopes: scopesOfKey(key),
    allowedNetworks: key.allowedNetworks,
  };
}

async function findKey(database: Database, keyHash: string): Promise<KeyRow> {
  const found = await database.apiKey.findUnique({
    where: { keyHash: bytes(keyHash) },
    select: {
      id: true,
      kind: true,
      appId: true,
      expiresAt: true,
      revokedAt: true,
      isRestricted: true,
      scopes: true,
      allowedNetworks: true,
      app: { select: { merchantId: true, mode: true } },
    },
  });
  if (!found) throw refused('The API key is not valid.');
  const { revokedAt, ...key } = found;
  if (revokedAt !== null) throw refused('The API key is revoked.');
  return key;
}

async function platformPrincipal(world: AuthenticateWorld, keyHash: string): Promise<Principal> {
  const find = () => findPlatformCredential(world.database, keyHash);
  const { id, role } = await recall(world.memory?.platform, keyHash, find);
  return { kind: 'platform', role, credentialId: id, keyHash };
}

async function findPlatformCredential(database: Database, keyHash: string): Promise<PlatformRow> {
  const where = { keyHash: bytes(keyHash), revokedAt: null };
  const found = await database.platformCredential.findUnique({ where, select: { id: true, role: true } });
  if (!found) throw refused('The credential is not valid.');
  return found;
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

async function tokenPrincipal(world: AuthenticateWorld, authorization: string): Promise<Principal> {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw refused('The bearer token is not valid.');
  return verifyToken(world, token);
}

async function sessionPrincipal(world: AuthenticateWorld, clientSecret: string): Promise<Principal> {
  const sessionId = sessionIdOf(clientSecret);
  if (sessionId === null) throw refused('The client secret is not valid.');
  const session = await recall(world.memory?.sessions, sessionId, () => findSession(world.database, sessionId));
  if (!clientSecretMatches(session.clientSecretHash, clientSecret)) throw refused('The client secret is not valid.');
  return {
    kind: 'session',
    sessionId: session.id,
    appId: session.appId,
    merchantId: session.app.merchantId,
    secretHash: session.clientSecretHash,
  };
}

async function findSession(database: Database, id: string): Promise<SessionRow> {
  const select = { id: true, appId: true, clientSecretHash: true, app: { select: { merchantId: true } } };
  const found = await database.checkoutSession.findUnique({ where: { id }, select });
  if (!found) throw refused('The client secret is not valid.');
  return found;
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', message);
}
