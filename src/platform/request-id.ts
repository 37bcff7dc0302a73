import { newId } from './identifier.ts';

/** The caller's own `x-request-id` when it is 8 to 128 harmless characters, else a new one. */
export function requestId(given: string | undefined): string {
  return given !== undefined && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : newId();
}
