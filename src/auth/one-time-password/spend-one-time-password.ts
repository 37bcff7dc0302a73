import {
  type Database,
  type DatabaseTransaction,
  type OneTimePasswordPurpose,
  transaction,
} from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretKeys } from '../tokens/secret-keys.ts';
import { codeMatches, isOpen, type RequestLimits } from './one-time-password.ts';
import { lockAddress } from './request-one-time-password.ts';

const DAY_SECONDS = 86_400;

type Outcome<Result> = { result: Result } | { refusal: GatewayError };

/**
 * Uses a code. `effect` runs in the same transaction with the address that the code was mailed to; if it throws, the code remains valid.
 * Wrong codes are counted. Throws AUTHENTICATION_ERROR, with the same message for a wrong, used, expired, unknown or foreign code, and
 * RATE_LIMIT_EXCEEDED after too many wrong codes for the address within a day.
 */
export async function spendOneTimePassword<Result>(
  world: { database: Database; clock: Clock; secretKeys: SecretKeys; config: { passwordLimits: RequestLimits } },
  request: { purpose: OneTimePasswordPurpose; requestId: string; code: string },
  effect: (tx: DatabaseTransaction, email: string) => Promise<Result>,
): Promise<Result> {
  const now = world.clock.now();
  const outcome = await transaction(world.database, async (tx): Promise<Outcome<Result>> => {
    const found = await tx.oneTimePassword.findUnique({ where: { id: request.requestId }, select: { email: true } });
    if (!found) return { refusal: wrong() };
    await lockAddress(tx, found.email);
    const password = await tx.oneTimePassword.findUniqueOrThrow({ where: { id: request.requestId } });
    if (password.purpose !== request.purpose || !isOpen(password, now)) return { refusal: wrong() };
    const waitSeconds = await lockedOutFor(tx, { email: password.email, now, limit: world.config.passwordLimits });
    if (waitSeconds > 0) return { refusal: lockedOut(waitSeconds) };
    if (!codeMatches(world.secretKeys.passwords, password, request.code)) {
      await tx.oneTimePassword.update({ where: { id: password.id }, data: { tries: { increment: 1 } } });
      return { refusal: wrong() };
    }
    await tx.oneTimePassword.update({ where: { id: password.id }, data: { spentAt: now } });
    return { result: await effect(tx, password.email) };
  });
  // Thrown after the commit, so that the attempt is counted.
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.result;
}

/** Returns the seconds until enough wrong codes are older than a day, or 0 if further attempts are allowed. */
async function lockedOutFor(
  tx: DatabaseTransaction,
  request: { email: string; now: Date; limit: RequestLimits },
): Promise<number> {
  const since = new Date(request.now.getTime() - DAY_SECONDS * 1000);
  const guessed = await tx.oneTimePassword.findMany({
    where: { email: request.email, createdAt: { gt: since }, tries: { gt: 0 } },
    orderBy: { createdAt: 'asc' },
    select: { tries: true, createdAt: true },
  });
  let wrongCodes = guessed.reduce((sum, { tries }) => sum + tries, 0);
  let freeAt = since;
  for (const { tries, createdAt } of guessed) {
    if (wrongCodes < request.limit.wrongPerAddressDay) break;
    wrongCodes -= tries;
    freeAt = createdAt;
  }
  return Math.ceil((freeAt.getTime() - since.getTime()) / 1000);
}

function wrong(): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', 'The code is wrong, used or expired.');
}

function lockedOut(retryAfterSeconds: number): GatewayError {
  return new GatewayError(
    'RATE_LIMIT_EXCEEDED',
    'Too many wrong codes were entered for this address. Try again later.',
    {
      retryAfterSeconds,
    },
  );
}
