import { type Database, transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { takeTokens } from '../../platform/limits/take-tokens.ts';
import { EXCHANGES, hashCheckoutCode, unsealClientSecret } from './checkout-code.ts';

/**
 * Exchanges a one-time code for the client secret of its session, and deletes the code in the same statement, so that only one of several
 * concurrent exchanges succeeds. Throws AUTHENTICATION_ERROR, with the same message for a wrong, used or expired code and for the code of
 * another session, and RATE_LIMIT_EXCEEDED.
 */
export async function exchangeCheckoutCode(
  world: { database: Database; realClock: Clock },
  request: { sessionId: string; code: string; networkAddress: string },
): Promise<{ sessionId: string; clientSecret: string }> {
  const { sessionId, code, networkAddress } = request;
  await countExchange(world.database, networkAddress);
  const [found] = await transaction(
    world.database,
    (tx) => tx.$queryRaw<{ sealed: string; expiresAt: Date }[]>`
      DELETE FROM checkout_code WHERE code_hash = ${hashCheckoutCode(code)} AND session_id = ${sessionId}::uuid
      RETURNING sealed_secret AS sealed, expires_at AS "expiresAt"`,
  );
  if (!found || found.expiresAt <= world.realClock.now()) {
    throw new GatewayError('AUTHENTICATION_ERROR', 'The code is wrong, used or expired.');
  }
  return { sessionId, clientSecret: unsealClientSecret(code, found.sealed) };
}

async function countExchange(database: Database, networkAddress: string): Promise<void> {
  const bucket = { key: `checkout-code:${networkAddress}`, ...EXCHANGES };
  const { granted, remaining } = await takeTokens(database, { bucket, asked: 1 });
  if (granted === 1) return;
  throw new GatewayError('RATE_LIMIT_EXCEEDED', 'Too many codes were exchanged from this address. Try again later.', {
    retryAfterSeconds: Math.ceil((1 - remaining) / EXCHANGES.perSecond),
  });
}
