/** The context that a request passes to its resolvers. */
import { authenticate, type Credentials } from '../../../auth/authenticate.ts';
import type { Principal } from '../../../auth/principal.ts';
import { type Reach, type ScopedDatabase, scopedDatabase } from '../../../auth/scoped-database.ts';
import { newId } from '../../../platform/identifier.ts';
import { reachOf } from './scope-of.ts';
import { byRealTime, guardedWorld, type World } from './world.ts';

export type GraphqlContext = {
  /** Writes through it fail once the caller's credential is no longer valid (`guardedWorld`). */
  world: World;
  principal: Principal;
  /** The client secret that the caller sent, if any. It is the caller's credential only if the principal is a session. It must not be logged. */
  clientSecret: string | undefined;
  /** Reads only what the caller may see; every query of a resolver goes through it. */
  database: ScopedDatabase;
  requestId: string;
  /** The header `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** The caller's network address, by which calls without a key are counted. */
  address: string;
  /** The caller's full address, if it is known. */
  callerAddress: string | undefined;
  userAgent: string | undefined;
  /** What the headers of the response report. */
  answer: { replayed: boolean };
  /** Whether the document is built in (REST). Its cost is known, so the limits for clients' documents do not apply. */
  ownDocument?: boolean;
  /** Charges more units to the caller's rate limit, and returns why the operation is refused, if it is. Absent in an API without limits. */
  charge?: ((units: number) => Promise<unknown>) | undefined;
  /** Whether the operation was checked before its execution began. */
  isChecked?: boolean;
};

export type RequestFacts = {
  credentials: Credentials;
  requestId?: string | undefined;
  idempotencyKey?: string | undefined;
};

/** Authenticates the caller and creates the context. Throws AUTHENTICATION_ERROR for an invalid credential. */
export async function createContext(world: World, request: RequestFacts): Promise<GraphqlContext> {
  const { clientSecret } = request.credentials;
  const principal = await authenticate(byRealTime(world), request.credentials);
  return contextOf(world, principal, { ...request, clientSecret });
}

/** Creates the context of a caller who is already authenticated, as on a live connection. */
export function contextOf(
  world: World,
  principal: Principal,
  request: {
    requestId?: string | undefined;
    idempotencyKey?: string | undefined;
    clientSecret?: string | undefined;
    address?: string | undefined;
    callerAddress?: string | undefined;
    userAgent?: string | undefined;
  } = {},
): GraphqlContext {
  return {
    world: guardedWorld(world, principal),
    principal,
    clientSecret: request.clientSecret,
    database: scopedDatabase(world.database, readableBy(principal)),
    requestId: request.requestId ?? newId(),
    idempotencyKey: request.idempotencyKey,
    address: request.address ?? 'unknown',
    callerAddress: request.callerAddress,
    userAgent: request.userAgent,
    answer: { replayed: false },
  };
}

/**
 * Returns what a caller may read. The payer of a session reads only that session, a wallet reads its own payments, and an arbiter
 * reads the disputes of all merchants.
 */
function readableBy(principal: Principal): Reach | null {
  if (principal.kind === 'session') return { sessionId: principal.sessionId };
  if (principal.kind === 'payer') return { wallet: principal.wallet, chainId: principal.chainId };
  if (principal.kind === 'platform' && principal.role === 'ARBITER') return { isArbiter: true };
  return reachOf(principal);
}

/** Reads the credentials from a request's headers. */
export function credentialsOf(header: (name: string) => string | null | undefined): Credentials {
  return {
    apiKey: header('x-api-key') ?? undefined,
    authorization: header('authorization') ?? undefined,
    clientSecret: header('x-client-secret') ?? undefined,
  };
}
