/** Who drives a checkout session: the merchant, or the payer with its client secret. */
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import type { GraphqlContext } from '../server/context.ts';
import { scopeOf } from '../server/scope-of.ts';

/** The scope to look the session up in. A client secret opens its own session only; any other is NOT_FOUND for it. */
export async function sessionScope(
  context: Pick<GraphqlContext, 'principal' | 'database'>,
  sessionId: string,
): Promise<Scope> {
  const { principal } = context;
  if (principal.kind === 'session' && principal.sessionId !== sessionId) throw notFound('checkout session');
  return await scopeOf(context);
}

/**
 * Where the idempotency keys of a call on a session live: a payer's with the session, the merchant's with the app, so that no
 * payer takes a key that the merchant will use.
 */
export function sessionKeyScope({ principal }: Pick<GraphqlContext, 'principal'>, scope: Scope): string {
  return principal.kind === 'session' ? principal.sessionId : (scope.appId ?? scope.merchantId);
}
