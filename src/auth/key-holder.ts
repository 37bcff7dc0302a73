/** The API keys that a call may access: those of a scope, or all keys for the operator of the installation. */
import { appScope } from './app-scope.ts';
import type { Scope } from './principal.ts';

export type KeyHolder = Scope | 'INSTALLATION';

/** Returns the condition on keys. It is empty for the operator of the installation. */
export function keysOf(holder: KeyHolder): Partial<ReturnType<typeof appScope>> {
  return holder === 'INSTALLATION' ? {} : appScope(holder);
}
