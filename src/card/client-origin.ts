/** The web origin of a client: scheme, host and port, in the browser's own spelling. */
import { z } from 'zod';

const LONGEST = 255;

export const originSchema = z
  .string()
  .max(LONGEST, `at most ${LONGEST} characters`)
  .transform((text, context) => {
    const origin = canonicalOrigin(text);
    if (origin !== null) return origin;
    context.addIssue({ code: 'custom', message: 'an http(s) origin such as https://shop.example, without a path' });
    return z.NEVER;
  });

function canonicalOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isBare && !text.endsWith('?') && !text.endsWith('#') ? url.origin : null;
}
