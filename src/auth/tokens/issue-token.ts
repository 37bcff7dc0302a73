import { SignJWT } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { SigningKeys } from './signing-keys.ts';
import { claimsOf, TOKEN_ALGORITHM, type TokenSubject, tokenSeconds } from './token.ts';

export type TokenWorld = { clock: Clock; signingKeys: SigningKeys; config: { publicUrl: string } };

export type IssuedToken = { token: string; tokenId: string; expiresAt: Date; expiresInSeconds: number };

/** Signs a token of the subject's kind. It is valid for the lifetime of its kind, or until `expiresAt` if that is earlier. */
export async function issueToken(
  world: TokenWorld,
  request: { subject: TokenSubject; expiresAt?: Date },
): Promise<IssuedToken> {
  const { subject } = request;
  const now = Math.floor(world.clock.now().getTime() / 1000);
  const longest = now + tokenSeconds[subject.audience];
  const exp = request.expiresAt ? Math.min(longest, Math.floor(request.expiresAt.getTime() / 1000)) : longest;
  const tokenId = crypto.randomUUID();
  const { kid, key } = await world.signingKeys.current();
  const { sub, extra } = claimsOf(subject);
  const token = await new SignJWT(extra)
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(world.config.publicUrl)
    .setAudience(subject.audience)
    .setSubject(sub)
    .setIssuedAt(now)
    .setExpirationTime(exp)
    .setJti(tokenId)
    .sign(key);
  return { token, tokenId, expiresAt: new Date(exp * 1000), expiresInSeconds: exp - now };
}
