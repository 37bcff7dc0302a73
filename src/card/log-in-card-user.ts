import type { CardUser, Database } from '../../prisma/client.ts';
import type { RequestLimits } from '../auth/one-time-password/one-time-password.ts';
import { spendOneTimePassword } from '../auth/one-time-password/spend-one-time-password.ts';
import { type IssuedToken, issueToken, type TokenWorld } from '../auth/tokens/issue-token.ts';
import type { SecretKeys } from '../auth/tokens/secret-keys.ts';
import { newId } from '../platform/identifier.ts';

export type CardLogin = { issued: IssuedToken; user: CardUser };

/** Logs in a wallet user with a one-time password; the first login creates the user. Throws AUTHENTICATION_ERROR. */
export async function logInCardUser(
  world: TokenWorld & {
    database: Database;
    secretKeys: SecretKeys;
    config: { publicUrl: string; passwordLimits: RequestLimits };
  },
  request: { requestId: string; code: string },
): Promise<CardLogin> {
  const now = world.clock.now();
  const user = await spendOneTimePassword(world, { purpose: 'CARD', ...request }, (tx, email) =>
    tx.cardUser.upsert({ where: { email }, create: { id: newId(), email, createdAt: now }, update: {} }),
  );
  return { issued: await issueToken(world, { subject: { audience: 'card', userId: user.id } }), user };
}
