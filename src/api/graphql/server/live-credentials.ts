/**
 * Cuts what stays open when its credential ends: a key that is revoked or expires, a member who is removed, a token whose
 * time is over. One look a second for all connections of the process, whatever their number.
 */
import type { Database } from '../../../../prisma/client.ts';
import type { Principal } from '../../../auth/principal.ts';
import { GatewayError } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';

const LOOK_MS = 1000;

export type LiveCredentials = {
  /** Calls `cut` once when the caller's credential is no longer good; the returned function stops watching. */
  watch(principal: Principal, cut: (reason: GatewayError) => void): () => void;
  close(): void;
};

type Watched = { principal: Principal; cut: (reason: GatewayError) => void };

export function openLiveCredentials(world: { database: Database; clock: Clock; log: Log }): LiveCredentials {
  const watched = new Set<Watched>();
  let looking = false;
  const timer = setInterval(() => {
    if (looking || watched.size === 0) return;
    looking = true;
    look(world, watched)
      .catch((error: unknown) => world.log.warn({ err: error }, 'Live credentials could not be checked.'))
      .finally(() => {
        looking = false;
      });
  }, LOOK_MS);
  timer.unref();
  return {
    watch(principal, cut) {
      const entry = { principal, cut };
      watched.add(entry);
      return () => watched.delete(entry);
    },
    close() {
      clearInterval(timer);
      watched.clear();
    },
  };
}

async function look(world: { database: Database; clock: Clock }, watched: Set<Watched>): Promise<void> {
  const { database } = world;
  const keyIds = new Set<string>();
  const loginIds = new Set<string>();
  const cardSessionIds = new Set<string>();
  for (const { principal } of watched) {
    if (principal.kind === 'apiKey') keyIds.add(principal.apiKeyId);
    if (principal.kind === 'member') loginIds.add(principal.sessionId);
    if (isCardSession(principal)) cardSessionIds.add(principal.subjectId);
  }
  const now = world.clock.now();
  const among = (ids: Set<string>) => ({ id: { in: [...ids] } });
  const select = { id: true } as const;
  const [keys, logins, cardSessions] = await Promise.all([
    keyIds.size === 0 ? [] : database.apiKey.findMany({ where: among(keyIds) }),
    loginIds.size === 0
      ? []
      : database.memberSession.findMany({
          where: { ...among(loginIds), revokedAt: null, member: { removedAt: null } },
          select,
        }),
    cardSessionIds.size === 0
      ? []
      : database.cardSession.findMany({ where: { ...among(cardSessionIds), revokedAt: null }, select }),
  ]);
  const good = new Set([
    ...keys
      .filter((key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now))
      .map(({ id }) => id),
    ...[...logins, ...cardSessions].map(({ id }) => id),
  ]);
  for (const entry of [...watched]) {
    if (isGood(entry.principal, good, now)) continue;
    watched.delete(entry);
    entry.cut(new GatewayError('AUTHENTICATION_ERROR', 'The credential has ended.'));
  }
}

function isGood(principal: Principal, good: ReadonlySet<string>, now: Date): boolean {
  switch (principal.kind) {
    case 'apiKey':
      return good.has(principal.apiKeyId);
    case 'member':
      return good.has(principal.sessionId) && principal.expiresAt > now;
    case 'card':
      return principal.expiresAt > now && (!isCardSession(principal) || good.has(principal.subjectId));
    case 'anonymous':
    case 'session':
    case 'platform':
      return true;
    default:
      return principal satisfies never;
  }
}

function isCardSession(principal: Principal): principal is Extract<Principal, { kind: 'card' }> {
  return principal.kind === 'card' && principal.audience === 'session-connect';
}
