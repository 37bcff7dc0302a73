import { parseAccountName } from '../chains/account-id.ts';
import { invalid, notFound } from '../errors.ts';
import type { CardCaller, CardWorld } from './card-world.ts';
import { callersSession } from './store.ts';

/**
 * Unlinks an account: from every client with an access token, or only from the session's client with a session's token. Throws
 * VALIDATION_ERROR if `account` is not CAIP-10, and NOT_FOUND if it is not linked.
 */
export async function unlinkAccount(
  world: Pick<CardWorld, 'database' | 'clock'>,
  request: { caller: CardCaller; account: string },
): Promise<void> {
  const name = parseAccountName(request.account);
  if (name === null)
    throw invalid([{ param: 'account', message: 'must be a CAIP-10 account of eip155, solana or sui' }]);
  const session = await callersSession(world.database, request.caller);
  const unlinked = await world.database.linkedAccount.updateMany({
    where: {
      userId: request.caller.userId,
      account: name.caip10,
      unlinkedAt: null,
      ...(session ? { clientOrigin: session.clientOrigin } : {}),
    },
    data: { unlinkedAt: world.clock.now() },
  });
  if (unlinked.count === 0) throw notFound('linked account');
}
