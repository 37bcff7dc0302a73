/**
 * Where our pages load a merchant's image from: ourselves, never the merchant's host, which would learn who pays. The path
 * names the image's URL, and an HMAC of it: only what a merchant of ours told is fetched. Another TOKEN_SECRET ends them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';

type Keys = Pick<SecretKeys, 'images'>;

const PATH = /^\/images\/([A-Za-z0-9_-]{43})\/([A-Za-z0-9_-]{1,12000})$/;

/** A path of this installation; null where there is no image. */
export function imageAddress(keys: Keys, url: string | null): string | null {
  if (url === null) return null;
  return `/images/${signature(keys, url).toString('base64url')}/${Buffer.from(url).toString('base64url')}`;
}

/** The URL that a path of `imageAddress` names; null for any other. Compares in constant time. */
export function imageUrlOf(keys: Keys, path: string): string | null {
  const [, given, encoded] = PATH.exec(path) ?? [];
  if (given === undefined || encoded === undefined) return null;
  const url = Buffer.from(encoded, 'base64url').toString('utf8');
  return timingSafeEqual(signature(keys, url), Buffer.from(given, 'base64url')) ? url : null;
}

function signature(keys: Keys, url: string): Buffer {
  return createHmac('sha256', keys.images).update(url).digest();
}
