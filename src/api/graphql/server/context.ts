/** What one request carries to its resolvers. */
import { authenticate, type Credentials } from '../../../auth/authenticate.ts';
import type { Principal } from '../../../auth/principal.ts';
import { type Reach, type ScopedDatabase, scopedDatabase } from '../../../auth/scoped-database.ts';
import { newId } from '../../../platform/identifier.ts';
import { reachOf } from './scope-of.ts';
import { byRealTime, guardedWorld, type World } from './world.ts';

export type GraphqlContext = {
  /** Writes through it fail once the caller's credential has ended (`guardedWorld`). */
  world: World;
  principal: Principal;
  /** Reads only what the caller may see; every query of a resolver goes through it. */
  database: ScopedDatabase;
  requestId: string;
  /** The header `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** The caller's network address; what keyless calls are counted by. */
  address: string;
  /** The caller's whole address, where it is known. */
  callerAddress: string | undefined;
  userAgent: string | undefined;
  /** What the answer's headers say beside the body. */
  answer: { replayed: boolean };
  /** The document is one of ours (REST), whose cost is known: only what strangers write is limited. */
  ownDocument?: boolean;
  /** Takes more units of the caller's rate limit; returns why the operation may not run. Absent in an API without limits. */
  charge?: ((units: number) => Promise<unknown>) | undefined;
  /** The operation was judged before its execution began. */
  isJudged?: boolean;
};

export type RequestFacts = {
  credentials: Credentials;
  requestId?: string | undefined;
  idempotencyKey?: string | undefined;
};

/** Authenticates and makes the context; AUTHENTICATION_ERROR for a bad credential. */
export async function createContext(world: World, request: RequestFacts): Promise<GraphqlContext> {
  return contextOf(world, await authenticate(byRealTime(world), request.credentials), request);
}

/** The context of a caller who is known already, as on a live connection. */
export function contextOf(
  world: World,
  principal: Principal,
  request: {
    requestId?: string | undefined;
    idempotencyKey?: string | undefined;
    address?: string | undefined;
    callerAddress?: string | undefined;
    userAgent?: string | undefined;
  } = {},
): GraphqlContext {
  return {
    world: guardedWorld(world, principal),
    principal,
    database: scopedDatabase(world.database, readableBy(principal)),
    requestId: request.requestId ?? newId(),
    idempotencyKey: request.idempotencyKey,
    address: request.address ?? 'unknown',
    callerAddress: request.callerAddress,
    userAgent: request.userAgent,
    answer: { replayed: false },
  };
}

/** A session's payer reads that session only, whatever app it is of; a wallet what it paid. */
function readableBy(principal: Principal): Reach | null {
  if (principal.kind === 'session') return { sessionId: principal.sessionId };
  if (principal.kind === 'payer') return { wallet: principal.wallet, chainId: principal.chainId };
  return reachOf(principal);
}

/** The credentials in a request's headers. */
export function credentialsOf(header: (name: string) => string | null | undefined): Credentials {
  return {
    apiKey: header('x-api-key') ?? undefined,
    authorization: header('authorization') ?? undefined,
    clientSecret: header('x-client-secret') ?? undefined,
  };
}
