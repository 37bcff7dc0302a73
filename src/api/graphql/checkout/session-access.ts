/** The callers that operate a checkout session: the merchant, or the payer with its client secret. */
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import type { GraphqlContext } from '../server/context.ts';
import { scopeOf } from '../server/scope-of.ts';

/** Returns the scope in which the session is looked up. With a client secret, every other session is NOT_FOUND. */
export async function sessionScope(
  context: Pick<GraphqlContext, 'principal' | 'database'>,
  sessionId: string,
): Promise<Scope> {
  const { principal } = context;
  if (principal.kind === 'session' && principal.sessionId !== sessionId) throw notFound('checkout session');
  return await scopeOf(context);
}

/**
 * Returns the scope of the idempotency keys for calls on a session: the session for a payer, and the app for the merchant, so that a payer
 * cannot use up a key of the merchant.
 */
export function sessionKeyScope({ principal }: Pick<GraphqlContext, 'principal'>, scope: Scope): string {
  return principal.kind === 'session' ? principal.sessionId : (scope.appId ?? scope.merchantId);
}
