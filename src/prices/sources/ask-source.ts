import { z } from 'zod';
import { SourceFault } from '../price-source.ts';

const TIMEOUT_MS = 3_000;
const BODY_LIMIT = 1_000_000;
const LONGEST_WAIT_SECONDS = 300;

/** A JSON number's own digits, which a JavaScript number would round; and numbers that come as text already. */
export const priceText = z.string().regex(/^\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/);

/**
 * Asks a public price API once, and answers its JSON with every number as the text it was written with.
 * Throws a SourceFault for a status that is not 200, no answer in three seconds, or what is no JSON.
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

/** Seconds; a source that is asked too often says how long to wait, or is left alone for half a minute. */
function retryAfterOf(answer: Response): number | undefined {
  if (answer.status !== 429) return undefined;
  const seconds = Number(answer.headers.get('retry-after') ?? 30);
  return (Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), LONGEST_WAIT_SECONDS) : 30) * 1000;
}
