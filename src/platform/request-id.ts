import { newId } from './identifier.ts';

const DECENT = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own `x-request-id` when it is 1 to 128 harmless characters, else a new one. */
export function requestId(given: string | null | undefined): string {
  return given && DECENT.test(given) ? given : newId();
}
