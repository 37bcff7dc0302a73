/** The origins of web pages that may show an app's checkout in a frame. They are printed into `frame-ancestors` as they are stored. */
import { z } from 'zod';
import type { FieldFault } from '../errors.ts';

const MAX_ORIGINS = 20;
const WORDS =
  'not an exact https origin such as https://shop.example; apps in TEST mode may also list http://localhost with any port';
/** The origin of a URL may contain an asterisk, which would be a wildcard in the policy. */
const SHAPE = /^(https:\/\/[a-z0-9.-]+(:\d{1,5})?|http:\/\/localhost(:\d{1,5})?)$/;

const originSchema = z
  .string()
  .max(255, 'at most 255 characters')
  .transform((text, context) => {
    const origin = exactOrigin(text);
    if (origin !== undefined) return origin;
    context.addIssue({ code: 'custom', message: WORDS });
    return z.NEVER;
  });

/** Stored in lower case, without default ports, and each once. */
export const embedOriginsSchema = z
  .array(originSchema)
  .max(MAX_ORIGINS, `at most ${MAX_ORIGINS} origins`)
  .transform((origins) => [...new Set(origins)]);

/** A live app moves real money, so pages without https must not frame its checkout. */
export function liveOriginFaults(origins: readonly string[]): FieldFault[] {
  return origins.flatMap((origin, index) =>
    origin.startsWith('https://')
      ? []
      : [{ param: `embedOrigins[${index}]`, message: 'an https origin; http://localhost is for apps in TEST mode' }],
  );
}

/** Accepts the slash that browsers show after an origin. Returns undefined for everything that is more than an origin. */
function exactOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  return SHAPE.test(origin) ? origin : undefined;
}
