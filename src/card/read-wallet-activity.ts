import type { OnetimeRequest } from '../../prisma/client.ts';
import type { CardCaller, CardWorld } from './card-world.ts';
import { callersSession } from './store.ts';

export const ACTIVITY_LIMIT = 100;

export type ActivityPage = { items: OnetimeRequest[]; nextCursor: string | null };

/**
 * A user's requests, newest first, with keyset pagination; a session's caller sees those of its origin. `cursor` is the id of the
 * last item returned.
 */
export async function readWalletActivity(
  world: Pick<CardWorld, 'database'>,
  request: {
    caller: CardCaller;
    clientOrigin?: string | null | undefined;
    limit: number;
    cursor?: string | null | undefined;
  },
): Promise<ActivityPage> {
  const { caller, limit, cursor } = request;
  const session = await callersSession(world.database, caller);
  const origins = [session?.clientOrigin, request.clientOrigin].filter((origin) => typeof origin === 'string');
  const rows = await world.database.onetimeRequest.findMany({
    where: {
      userId: caller.userId,
      AND: origins.map((clientOrigin) => ({ clientOrigin })),
      ...(cursor ? { id: { lt: cursor } } : {}),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
