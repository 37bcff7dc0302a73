import type { Principal, Scope } from '../../../auth/principal.ts';
import type { ScopedDatabase } from '../../../auth/scoped-database.ts';
import { GatewayError } from '../../../errors.ts';
import { canonicalId } from '../../../platform/identifier.ts';

type Caller = { principal: Principal; database: ScopedDatabase };

/** Returns the scope of everything that a caller may read, or null if there is none. */
export function reachOf(principal: Principal): Scope | null {
  switch (principal.kind) {
    case 'apiKey':
      return { merchantId: principal.merchantId, appId: principal.appId };
    case 'session':
      return { merchantId: principal.merchantId, appId: principal.appId };
    case 'member':
      return { merchantId: principal.merchantId, appId: null };
    case 'anonymous':
    case 'card':
    case 'payer':
    case 'platform':
      return null;
    default:
      return principal satisfies never;
  }
}

/**
 * Returns the scope of a call: the key's app or, for a member, the merchant's app `appId` or all of its apps. Throws AUTHORIZATION_ERROR
 * for an app that does not belong to the caller, whether or not it exists, and AUTHENTICATION_ERROR for an anonymous caller.
 */
export async function scopeOf(context: Caller, request: { appId?: string | null | undefined } = {}): Promise<Scope> {
  const reach = reachOf(context.principal);
  if (reach === null) throw refusal(context.principal);
  const appId = request.appId == null ? null : canonicalId(request.appId);
  if (appId === null || appId === reach.appId) return reach;
  if (reach.appId !== null) throw foreignApp();
  const app = await context.database.app.findUnique({ where: { id: appId }, select: { id: true } });
  if (!app) throw foreignApp();
  return { merchantId: reach.merchantId, appId: app.id };
}

/** Does the same for a call that creates something, for which the key or `appId` must name one app. */
export async function appScopeOf(
  context: Caller,
  request: { appId?: string | null | undefined } = {},
): Promise<{ merchantId: string; appId: string }> {
  const scope = await scopeOf(context, request);
  if (scope.appId !== null) return { merchantId: scope.merchantId, appId: scope.appId };
  throw new GatewayError('VALIDATION_ERROR', 'appId: is required.', {
    details: [{ param: 'appId', message: 'is required, because the credential covers several apps' }],
  });
}

/** Returns the refusal: AUTHENTICATION_ERROR for an anonymous caller, and AUTHORIZATION_ERROR for any other. */
export function refusal(principal: Principal): GatewayError {
  return principal.kind === 'anonymous'
    ? new GatewayError('AUTHENTICATION_ERROR', 'This operation requires a credential.')
    : new GatewayError('AUTHORIZATION_ERROR', 'This credential may not do this.');
}

function foreignApp(): GatewayError {
  return new GatewayError('AUTHORIZATION_ERROR', 'The credential does not cover this app.', { param: 'appId' });
}
