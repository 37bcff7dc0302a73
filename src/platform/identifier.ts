/** UUIDv7 identifiers: ordered by time, so that new rows land at the end of every index. */
import { uuidv7 } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function newId(): string {
  return uuidv7();
}

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** Its one spelling: a UUID may be written in either case, and is compared as text. */
export function canonicalId(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}
