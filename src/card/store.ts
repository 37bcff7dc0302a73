/** The queries of the card API, each for one user; a session's caller sees what belongs to its origin. */
import type { CardSession, CardUser, Database, LinkedAccount, Prisma } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import type { CardCaller } from './card-world.ts';

const ACCOUNTS_LIMIT = 200;

/** Throws AUTHENTICATION_ERROR if the token outlived its user. */
export async function requireUser(database: Database, caller: CardCaller): Promise<CardUser> {
  const user = await database.cardUser.findUnique({ where: { id: caller.userId } });
  if (!user) throw new GatewayError('AUTHENTICATION_ERROR', 'The bearer token is not valid.');
  return user;
}

/** The caller's session; null for a caller with an access token. */
export async function callersSession(
  database: Pick<Database, 'cardSession'>,
  caller: CardCaller,
): Promise<CardSession | null> {
  if (caller.sessionId === null) return null;
  const session = await database.cardSession.findFirst({ where: { id: caller.sessionId, userId: caller.userId } });
  if (!session) throw new GatewayError('AUTHENTICATION_ERROR', 'The bearer token is not valid.');
  return session;
}

export async function linkedAccountsOf(
  database: Pick<Database, 'cardSession' | 'linkedAccount'>,
  caller: CardCaller,
): Promise<LinkedAccount[]> {
  const session = await callersSession(database, caller);
  return await database.linkedAccount.findMany({
    where: {
      userId: caller.userId,
      unlinkedAt: null,
      ...(session ? { clientOrigin: session.clientOrigin } : {}),
    },
    orderBy: { id: 'asc' },
    take: ACCOUNTS_LIMIT,
  });
}

type SessionWindow = Pick<Prisma.CardSessionFindManyArgs, 'where' | 'orderBy'> & { take: number };

/** Includes sessions that have ended. */
export async function cardSessionsOf(
  database: Database,
  userId: string,
  { where = {}, ...window }: SessionWindow,
): Promise<CardSession[]> {
  return await database.cardSession.findMany({ ...window, where: { AND: [{ userId }, where] } });
}

export async function countCardSessions(database: Database, userId: string): Promise<number> {
  return await database.cardSession.count({ where: { userId } });
}
