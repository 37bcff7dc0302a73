/**
 * Closes open connections when their credential ends: a key or a credential of the installation is revoked or expires, a member is removed,
 * or a token expires or its session is revoked. The process checks all connections together once a second, regardless of their number.
 */
import type { Database } from '../../../../prisma/client.ts';
import { inLane } from '../../../../prisma/database-pools.ts';
import type { Principal } from '../../../auth/principal.ts';
import { GatewayError } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';

const LOOK_MS = 1000;

export type LiveCredentials = {
  /** Calls `cut` once when the caller's credential is no longer valid. The returned function stops watching. */
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
    inLane('credentials', () => look(world, watched))
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
  const ids = {
    apiKey: new Set<string>(),
    login: new Set<string>(),
    card: new Set<string>(),
    platform: new Set<string>(),
  };
  // Callers that are added while the tables are read are checked the next time.
  const asked = [...watched];
  for (const { principal } of asked) {
    if (principal.kind === 'apiKey') ids.apiKey.add(principal.apiKeyId);
    if (principal.kind === 'member') ids.login.add(principal.sessionId);
    if (isCardSession(principal)) ids.card.add(principal.subjectId);
    if (principal.kind === 'platform') ids.platform.add(principal.credentialId);
  }
  const now = world.clock.now();
  const { apiKey, memberSession, cardSession, platformCredential } = world.database;
  const unrevoked = (set: Set<string>) => ({ id: { in: [...set] }, revokedAt: null });
  const unexpired = { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
  const present = { member: { removedAt: null } };
  const select = { id: true } as const;
  const [keys, logins, cards, platforms] = await Promise.all([
    ids.apiKey.size && apiKey.findMany({ where: { ...unrevoked(ids.apiKey), ...unexpired }, select }),
    ids.login.size &&
      memberSession.findMany({
        where: { ...unrevoked(ids.login), ...present },
        select: { id: true, member: { select: { role: true, isOperator: true } } },
      }),
    ids.card.size && cardSession.findMany({ where: unrevoked(ids.card), select }),
    ids.platform.size && platformCredential.findMany({ where: unrevoked(ids.platform), select }),
  ]);
  const good = new Set([
    ...[keys, cards, platforms].flatMap((rows) => rows || []).map(({ id }) => id),
    ...(logins || []).map(({ id, member }) => loginOf({ sessionId: id, ...member })),
  ]);
  for (const entry of asked) {
    if (isGood(entry.principal, good, now) || !watched.delete(entry)) continue;
    entry.cut(new GatewayError('AUTHENTICATION_ERROR', 'The credential is no longer valid.'));
  }
}

/** Identifies a login together with the member's rights, so that it ends when these differ from those at the time of the connection. */
function loginOf({ sessionId, role, isOperator }: { sessionId: string; role: string; isOperator: boolean }): string {
  return `${sessionId} ${role} ${isOperator}`;
}

function isGood(principal: Principal, good: ReadonlySet<string>, now: Date): boolean {
  switch (principal.kind) {
    case 'apiKey':
      return good.has(principal.apiKeyId);
    case 'member':
      return good.has(loginOf(principal)) && principal.expiresAt > now;
    case 'card':
      return principal.expiresAt > now && (!isCardSession(principal) || good.has(principal.subjectId));
    case 'platform':
      return good.has(principal.credentialId);
    case 'payer':
      return principal.expiresAt > now;
    // A session's secret is valid as long as the session exists, and sessions are never deleted.
    case 'session':
    case 'anonymous':
      return true;
    default:
      return principal satisfies never;
  }
}

function isCardSession(principal: Principal): principal is Extract<Principal, { kind: 'card' }> {
  return principal.kind === 'card' && principal.audience === 'session-connect';
}
