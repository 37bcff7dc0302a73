import type { Database } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { hashSecret } from './api-key.ts';
import { clientSecretMatches, sessionIdOf } from './client-secret.ts';
import { scopesOfKey } from './keys/key-scope.ts';
import { networksAllow } from './keys/network.ts';
import { noteKeyUse } from './note-key-use.ts';
import type { Principal } from './principal.ts';
import type { TokenWorld } from './tokens/issue-token.ts';
import { verifyToken } from './tokens/verify-token.ts';

/** What a caller shows, by the header (or connection parameter) that carries it. */
export type Credentials = {
  apiKey?: string | undefined;
  /** The header `Authorization`, whole. */
  authorization?: string | undefined;
  clientSecret?: string | undefined;
  /** Whence the call comes, whole: an API key may be bound to networks. */
  callerAddress?: string | undefined;
};

export type AuthenticateWorld = TokenWorld & { database: Database };

const LONGEST_CREDENTIAL = 8192;

/**
 * Who is calling: the API key, else the bearer token, else the client secret, else nobody.
 * Throws AUTHENTICATION_ERROR for a credential that is wrong, expired or revoked, whatever else is given;
 * AUTHORIZATION_ERROR for a key that may not be used from the caller's network.
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
  const hash = hashSecret(secret);
  if (secret.startsWith('op_') || secret.startsWith('ar_')) return platformPrincipal(world, hash);
  const key = await world.database.apiKey.findUnique({
    where: { keyHash: hash },
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
  if (!key) throw refused('The API key is not valid.');
  if (key.revokedAt !== null) throw refused('The API key is revoked.');
  if (key.expiresAt !== null && key.expiresAt <= world.clock.now()) throw refused('The API key has expired.');
  if (key.allowedNetworks.length > 0 && !networksAllow(key.allowedNetworks, callerAddress ?? '')) {
    throw new GatewayError('AUTHORIZATION_ERROR', 'This key may not be used from this network.');
  }
  noteKeyUse(world, key.id);
  return {
    kind: 'apiKey',
    keyKind: key.kind,
    apiKeyId: key.id,
    appId: key.appId,
    merchantId: key.app.merchantId,
    mode: key.app.mode,
    scopes: scopesOfKey(key),
  };
}

async function platformPrincipal(world: AuthenticateWorld, hash: Uint8Array<ArrayBuffer>): Promise<Principal> {
  const credential = await world.database.platformCredential.findUnique({ where: { keyHash: hash } });
  if (!credential || credential.revokedAt !== null) throw refused('The credential is not valid.');
  return { kind: 'platform', role: credential.role, credentialId: credential.id };
}

async function tokenPrincipal(world: AuthenticateWorld, authorization: string): Promise<Principal> {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw refused('The bearer token is not valid.');
  return verifyToken(world, token);
}

async function sessionPrincipal(world: AuthenticateWorld, clientSecret: string): Promise<Principal> {
  const sessionId = sessionIdOf(clientSecret);
  if (sessionId === null) throw refused('The client secret is not valid.');
  const session = await world.database.checkoutSession.findUnique({
    where: { id: sessionId },
    select: { id: true, appId: true, clientSecretHash: true, app: { select: { merchantId: true } } },
  });
  if (!session || !clientSecretMatches(session.clientSecretHash, clientSecret)) {
    throw refused('The client secret is not valid.');
  }
  return {
    kind: 'session',
    sessionId: session.id,
    appId: session.appId,
    merchantId: session.app.merchantId,
    secretHash: session.clientSecretHash,
  };
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', message);
}
