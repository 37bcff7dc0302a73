/** UUIDv7 identifiers: ordered by time, so that new rows go to the end of every index. */
import { uuidv7 } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function newId(): string {
  return uuidv7();
}

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The canonical spelling. A UUID may be written in either case, but is compared as text. */
export function canonicalId(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}
