import type { Principal, Scope } from '../../../auth/principal.ts';
import type { ScopedDatabase } from '../../../auth/scoped-database.ts';
import { GatewayError } from '../../../errors.ts';
import { canonicalId } from '../../../platform/identifier.ts';

type Caller = { principal: Principal; database: ScopedDatabase };

/** All that a caller may read; null: nobody's data. */
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
 * The scope of a call: the key's app, or of a member's merchant the app that `appId` names, or all its apps.
 * AUTHORIZATION_ERROR for an app that is not the caller's, existing or not; AUTHENTICATION_ERROR for nobody.
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

/** As `scopeOf`, for a call that makes something: one app must be named, by the key or by `appId`. */
export async function appScopeOf(
  context: Caller,
  request: { appId?: string | null | undefined } = {},
): Promise<{ merchantId: string; appId: string }> {
  const scope = await scopeOf(context, request);
  if (scope.appId !== null) return { merchantId: scope.merchantId, appId: scope.appId };
  throw new GatewayError('VALIDATION_ERROR', 'appId: name the app.', {
    details: [{ param: 'appId', message: 'is required, for the credential covers several apps' }],
  });
}

/** Why a caller may not: nobody is told to authenticate, anybody else that the credential does not do. */
export function refusal(principal: Principal): GatewayError {
  return principal.kind === 'anonymous'
    ? new GatewayError('AUTHENTICATION_ERROR', 'This needs a credential.')
    : new GatewayError('AUTHORIZATION_ERROR', 'This credential may not do this.');
}

function foreignApp(): GatewayError {
  return new GatewayError('AUTHORIZATION_ERROR', 'The app is not one of the caller.', { param: 'appId' });
}
