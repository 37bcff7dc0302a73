import { newId } from './identifier.ts';

const DECENT = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's `x-request-id` if it consists of 1 to 128 safe characters, otherwise a new id. */
export function requestId(given: string | null | undefined): string {
  return given && DECENT.test(given) ? given : newId();
}
