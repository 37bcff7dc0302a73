/**
 * The paths under which pages load merchants' images from this installation instead of from the merchant's host, which would learn who
 * pays. A path contains the image's URL and its HMAC, so that only URLs of this installation's merchants are fetched. A change of
 * TOKEN_SECRET invalidates all paths.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from './secret-keys.ts';

type Keys = Pick<SecretKeys, 'images'>;

const PATH = /^\/images\/([A-Za-z0-9_-]{43})\/([A-Za-z0-9_-]{1,12000})$/;

/** Returns the path for an image, or null if there is no image. */
export function imageAddress(keys: Keys, url: string | null): string | null {
  if (url === null) return null;
  return `/images/${signature(keys, url).toString('base64url')}/${Buffer.from(url).toString('base64url')}`;
}

/** Returns the URL in a path of `imageAddress`, or null for any other path. Compares in constant time. */
export function imageUrlOf(keys: Keys, path: string): string | null {
  const [, given, encoded] = PATH.exec(path) ?? [];
  if (given === undefined || encoded === undefined) return null;
  const url = Buffer.from(encoded, 'base64url').toString('utf8');
  return timingSafeEqual(signature(keys, url), Buffer.from(given, 'base64url')) ? url : null;
}

function signature(keys: Keys, url: string): Buffer {
  return createHmac('sha256', keys.images).update(url).digest();
}
