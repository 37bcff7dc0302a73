import { z } from 'zod';
import { SourceFault } from '../price-source.ts';

const TIMEOUT_MS = 3_000;
const BODY_LIMIT = 1_000_000;
const LONGEST_WAIT_SECONDS = 300;

/** The digits of a JSON number as written, because a JavaScript number would round them. Also matches numbers that are sent as strings. */
export const priceText = z.string().regex(/^\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/);

/**
 * Sends one request to a public price API and returns its JSON, with every number as the text it was written with. Throws a SourceFault
 * for a status other than 200, if there is no response within three seconds, and if the response is not JSON.
 */
export async function askSource(name: string, url: string): Promise<unknown> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
      redirect: 'error',
    });
    text = await answer.text();
  } catch (cause) {
    throw new SourceFault(`${name} did not answer.`, { cause });
  }
  if (!answer.ok) {
    throw new SourceFault(`${name} answered ${answer.status}.`, { retryAfterMs: retryAfterOf(answer) });
  }
  if (text.length > BODY_LIMIT) throw new SourceFault(`${name} answered more than ${BODY_LIMIT} characters.`);
  try {
    return JSON.parse(text, keepDigits);
  } catch (cause) {
    throw new SourceFault(`${name} answered no JSON.`, { cause });
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/** Returns the value of Retry-After in milliseconds, or half a minute for a 429 response without it. */
function retryAfterOf(answer: Response): number | undefined {
  if (answer.status !== 429) return undefined;
  const seconds = Number(answer.headers.get('retry-after') ?? 30);
  return (Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), LONGEST_WAIT_SECONDS) : 30) * 1000;
}
