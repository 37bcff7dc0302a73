/** The condition of every query of an app's resources: the caller's merchant and, if the caller is limited to one app, that app. */
import type { Scope } from './principal.ts';

export function appScope(scope: Scope): { app: { merchantId: string }; appId?: string } {
  return scope.appId === null
    ? { app: { merchantId: scope.merchantId } }
    : { app: { merchantId: scope.merchantId }, appId: scope.appId };
}
