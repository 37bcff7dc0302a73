import { hash } from 'node:crypto';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Database } from '../../../prisma/client.ts';
import { inLane } from '../../../prisma/database-pools.ts';
import { GatewayError } from '../../errors.ts';
import { type CardRow, type CredentialMemory, type LoginRow, recall, type TokenRow } from '../credential-memory.ts';
import type { Principal } from '../principal.ts';
import type { TokenWorld } from './issue-token.ts';
import { audiences, claimsSchema, TOKEN_ALGORITHM, type TokenClaims } from './token.ts';

type VerifyWorld = TokenWorld & { database: Database; memory?: CredentialMemory | undefined };

/** The maximum difference between the clocks of the installation's processes. */
const TOLERANCE_SECONDS = 5;

/**
 * Returns the holder of a token. The token must be signed with ES256 by one of the installation's keys, and have its issuer and a known
 * audience. The rows behind it are then checked, so that a revoked session, a logout or the removal of a member ends it at once. Throws
 * AUTHENTICATION_ERROR, with the same message for all faults except expiry.
 */
export async function verifyToken(world: VerifyWorld, token: string): Promise<Principal> {
  const claims = await presentClaims(world, token);
  const now = world.clock.now();
  const expiresAt = new Date(claims.exp * 1000);
  switch (claims.aud) {
    case 'card':
      return cardPrincipal(claims, claims.sub, expiresAt);
    case 'session-connect': {
      const session = await recall(world.memory?.cards, claims.sid, () => findCardSession(world.database, claims.sid));
      if (session.userId !== claims.sub || session.expiresAt <= now) throw refused();
      return cardPrincipal(claims, claims.sid, expiresAt);
    }
    case 'onetime-connect':
      return cardPrincipal(claims, claims.rid, expiresAt);
    case 'dashboard': {
      const { jti: tokenId, sid: sessionId, sub: memberId } = claims;
      const login = await recall(world.memory?.logins, sessionId, () => findLogin(world.database, sessionId));
      if (login.memberId !== memberId || login.expiresAt <= now) throw refused();
      const { merchantId, role, isOperator } = login.member;
      return { kind: 'member', memberId, merchantId, role, isOperator, tokenId, sessionId, expiresAt };
    }
    case 'payer': {
      const chainId = claims.chain === undefined ? null : Number(claims.chain);
      return { kind: 'payer', wallet: claims.sub, chainId, tokenId: claims.jti, expiresAt };
    }
    default:
      return claims satisfies never;
  }
}

function cardPrincipal(
  claims: Exclude<TokenClaims, { aud: 'dashboard' | 'payer' }>,
  subjectId: string,
  expiresAt: Date,
): Principal {
  return { kind: 'card', audience: claims.aud, userId: claims.sub, tokenId: claims.jti, subjectId, expiresAt };
}

async function findLogin(database: Database, id: string): Promise<LoginRow> {
  const member = { select: { merchantId: true, role: true, isOperator: true } };
  const found = await database.memberSession.findFirst({
    where: { id, revokedAt: null, member: { removedAt: null } },
    select: { memberId: true, expiresAt: true, member },
  });
  if (!found) throw refused();
  return found;
}

async function findCardSession(database: Database, id: string): Promise<CardRow> {
  const select = { userId: true, expiresAt: true };
  const found = await database.cardSession.findFirst({ where: { id, revokedAt: null }, select });
  if (!found) throw refused();
  return found;
}

/** Returns the claims of a currently valid token. Its signature is verified once while the token is cached. */
async function presentClaims(world: VerifyWorld, token: string): Promise<TokenClaims> {
  const name = hash('sha256', token, 'base64');
  const { kid, claims } = await recall(world.memory?.tokens, name, () => verified(world, token));
  const nowSeconds = world.clock.now().getTime() / 1000;
  if (claims.exp <= nowSeconds) throw expired();
  // jose does not check `iat`. A token from the future was not issued here.
  if (
    claims.iat > nowSeconds + TOLERANCE_SECONDS ||
    !(await inLane('credentials', () => world.signingKeys.verifies(kid)))
  )
    throw refused();
  return claims;
}

async function verified(world: TokenWorld, token: string): Promise<TokenRow> {
  let signedBy = '';
  const keyOf: JWTVerifyGetKey = async ({ kid = '' }) => {
    const key = await world.signingKeys.find(kid);
    if (!key) throw refused();
    signedBy = kid;
    return key;
  };
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [TOKEN_ALGORITHM],
      issuer: world.config.publicUrl,
      audience: [...audiences],
      requiredClaims: ['sub', 'jti', 'exp', 'iat'],
      currentDate: world.clock.now(),
    });
    const claims = claimsSchema.safeParse(payload);
    if (!claims.success) throw refused();
    return { kid: signedBy, claims: claims.data };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw expired();
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw refused(error);
    throw error;
  }
}

function expired(): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', 'The token has expired.');
}

function refused(cause?: unknown): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', 'The bearer token is not valid.', { cause });
}
