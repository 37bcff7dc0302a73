/** Whose API keys a call may touch: those of a scope, or every one, for the operator of the installation. */
import { appScope } from './app-scope.ts';
import type { Scope } from './principal.ts';

export type KeyHolder = Scope | 'INSTALLATION';

/** The condition on keys; for the installation's operator there is none. */
export function keysOf(holder: KeyHolder): Partial<ReturnType<typeof appScope>> {
  return holder === 'INSTALLATION' ? {} : appScope(holder);
}
