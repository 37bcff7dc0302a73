/** What every query of an app's resources carries: the caller's merchant, and the one app where the caller has only one. */
import type { Scope } from './principal.ts';

export function appScope(scope: Scope): { app: { merchantId: string }; appId?: string } {
  return scope.appId === null
    ? { app: { merchantId: scope.merchantId } }
    : { app: { merchantId: scope.merchantId }, appId: scope.appId };
}
