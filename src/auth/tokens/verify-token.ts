import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Database } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../principal.ts';
import type { TokenWorld } from './issue-token.ts';
import { audiences, claimsSchema, TOKEN_ALGORITHM, type TokenClaims } from './token.ts';

/** Clocks of our own processes differ by no more. */
const TOLERANCE_SECONDS = 5;

/**
 * Who holds the token. Only ES256 under one of our keys, our issuer and a known audience count; then the rows behind it
 * are asked: a revoked session, a logout or a removed member end it at once. Throws AUTHENTICATION_ERROR, in the same
 * words whatever is wrong, but for an expired one.
 */
export async function verifyToken(world: TokenWorld & { database: Database }, token: string): Promise<Principal> {
  const claims = await verifiedClaims(world, token);
  const expiresAt = new Date(claims.exp * 1000);
  switch (claims.aud) {
    case 'card':
      return cardPrincipal(claims, claims.sub, expiresAt);
    case 'session-connect': {
      const session = await world.database.cardSession.findFirst({
        where: { id: claims.sid, userId: claims.sub, revokedAt: null, expiresAt: { gt: world.clock.now() } },
        select: { id: true },
      });
      if (!session) throw refused();
      return cardPrincipal(claims, claims.sid, expiresAt);
    }
    case 'onetime-connect':
      return cardPrincipal(claims, claims.rid, expiresAt);
    case 'dashboard': {
      const session = await world.database.memberSession.findFirst({
        where: { id: claims.sid, memberId: claims.sub, revokedAt: null, member: { removedAt: null } },
        select: { member: true },
      });
      if (!session) throw refused();
      const { id: memberId, merchantId, role, isOperator } = session.member;
      const { jti: tokenId, sid: sessionId } = claims;
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

async function verifiedClaims(world: TokenWorld, token: string): Promise<TokenClaims> {
  const keyOf: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? undefined : await world.signingKeys.find(kid);
    if (!key) throw refused();
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
    // jose does not look at `iat` by itself: a token of the future was not issued by us.
    const nowSeconds = world.clock.now().getTime() / 1000;
    if (!claims.success || claims.data.iat > nowSeconds + TOLERANCE_SECONDS) throw refused();
    return claims.data;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new GatewayError('AUTHENTICATION_ERROR', 'The token has expired.');
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw refused(error);
    throw error;
  }
}

function refused(cause?: unknown): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', 'The bearer token is not valid.', { cause });
}
