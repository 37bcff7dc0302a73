import {
  type Database,
  type DatabaseTransaction,
  type OneTimePasswordPurpose,
  transaction,
} from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { takeTokens } from '../../platform/limits/take-tokens.ts';
import { seal } from '../../platform/secret-box.ts';
import type { SecretKeys } from '../tokens/secret-keys.ts';
import { mailPasswordJob } from './jobs.ts';
import {
  CODE_SECONDS,
  canonicalEmail,
  hashCode,
  newCode,
  RESEND_SECONDS,
  type RequestLimits,
} from './one-time-password.ts';

export type PasswordRequest = { requestId: string; expiresAt: Date; resendAfterSeconds: number };

const HOUR_SECONDS = 3600;

/**
 * Creates a one-time password and enqueues its mail. The response and its timing are the same for known and unknown addresses, because only
 * the job looks the address up. Throws RATE_LIMIT_EXCEEDED with the seconds to wait.
 */
export async function requestOneTimePassword(
  world: { database: Database; clock: Clock; secretKeys: SecretKeys; config: { passwordLimits: RequestLimits } },
  request: { purpose: OneTimePasswordPurpose; email: string; networkAddress: string },
): Promise<PasswordRequest> {
  const { database, secretKeys } = world;
  const limits = world.config.passwordLimits;
  await countNetwork(database, { networkAddress: request.networkAddress, limit: limits.perNetworkHour });
  const email = canonicalEmail(request.email);
  const id = newId();
  const code = newCode();
  const now = world.clock.now();
  const expiresAt = new Date(now.getTime() + CODE_SECONDS * 1000);
  await transaction(database, async (tx) => {
    await lockAddress(tx, email);
    await requireQuiet(tx, { email, now, limit: limits.perAddressHour });
    await tx.oneTimePassword.create({
      data: {
        id,
        purpose: request.purpose,
        email,
        codeHash: hashCode(secretKeys.passwords, { id, code }),
        expiresAt,
        createdAt: now,
      },
    });
    await addJob(tx, mailPasswordJob, { requestId: id, sealedCode: seal(secretKeys.mails, code) });
  });
  return { requestId: id, expiresAt, resendAfterSeconds: RESEND_SECONDS };
}

async function countNetwork(database: Database, request: { networkAddress: string; limit: number }): Promise<void> {
  const perSecond = request.limit / HOUR_SECONDS;
  const bucket = { key: `otp:${request.networkAddress}`, perSecond, burst: request.limit };
  const grant = await takeTokens(database, { bucket, asked: 1 });
  if (grant.granted < 1) throw tooMany(Math.ceil((1 - grant.remaining) / perSecond));
}

/** Serializes the requests for one email address. */
export async function lockAddress(tx: DatabaseTransaction, email: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`otp:${email}`}, 0))::text`;
}

async function requireQuiet(
  tx: DatabaseTransaction,
  request: { email: string; now: Date; limit: number },
): Promise<void> {
  const { email, now, limit } = request;
  const since = new Date(now.getTime() - HOUR_SECONDS * 1000);
  const recent = await tx.oneTimePassword.findMany({
    where: { email, createdAt: { gt: since } },
    orderBy: { createdAt: 'desc' },
    select: { createdAt: true },
    take: limit,
  });
  const [newest] = recent;
  const oldest = recent.at(limit - 1);
  const waits = [
    newest ? newest.createdAt.getTime() + RESEND_SECONDS * 1000 - now.getTime() : 0,
    oldest ? oldest.createdAt.getTime() + HOUR_SECONDS * 1000 - now.getTime() : 0,
  ];
  const waitMs = Math.max(...waits);
  if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
}

function tooMany(retryAfterSeconds: number): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', `A new code can be requested in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}
