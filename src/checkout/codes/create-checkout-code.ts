import { type Database, transaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { requirePayable } from '../require-payable.ts';
import { lockSession, requireSession } from '../store.ts';
import {
  CODE_SECONDS,
  CODES_LIMIT,
  codeUrl,
  hashCheckoutCode,
  newCheckoutCode,
  sealClientSecret,
} from './checkout-code.ts';

export type CreatedCheckoutCode = { code: string; url: string; expiresAt: Date };

/**
 * Creates a one-time code of a session for a caller that has its client secret, and deletes the session's expired and excess codes. Throws
 * NOT_FOUND, and INVALID_STATE or EXPIRED for a session that can no longer be paid.
 */
export async function createCheckoutCode(
  world: { database: Database; clock: Clock; realClock: Clock; config: Pick<Config, 'publicUrl'> },
  request: { scope: Scope; sessionId: string; clientSecret: string },
): Promise<CreatedCheckoutCode> {
  const { scope, sessionId, clientSecret } = request;
  const now = world.realClock.now();
  const code = newCheckoutCode();
  const expiresAt = new Date(now.getTime() + CODE_SECONDS * 1000);
  await transaction(world.database, async (tx) => {
    await lockSession(tx, sessionId);
    requirePayable(await requireSession(tx, { scope, id: sessionId }), world.clock.now());
    await tx.checkoutCode.deleteMany({ where: { sessionId, expiresAt: { lte: now } } });
    const oldest = await tx.checkoutCode.findMany({
      where: { sessionId },
      orderBy: { createdAt: 'desc' },
      skip: CODES_LIMIT - 1,
      select: { codeHash: true },
    });
    await tx.checkoutCode.deleteMany({ where: { codeHash: { in: oldest.map(({ codeHash }) => codeHash) } } });
    await tx.checkoutCode.create({
      data: {
        codeHash: hashCheckoutCode(code),
        sessionId,
        sealedSecret: sealClientSecret(code, clientSecret),
        expiresAt,
        createdAt: now,
      },
    });
  });
  return { code, url: codeUrl(world.config.publicUrl, { sessionId, code }), expiresAt };
}
