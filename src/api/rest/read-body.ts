import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors.ts';
import { readAtMost } from '../../platform/outbound/read-at-most.ts';

const NESTING_LIMIT = 40;
const [BACKSLASH, QUOTE] = [0x5c, 0x22];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Reads the JSON object of a request, or returns undefined if there is no body. Accepts only `application/json` in UTF-8 of at most
 * `limitBytes`. Throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_ERROR.
 */
export async function readBody(
  request: IncomingMessage,
  { limitBytes }: { limitBytes: number },
): Promise<Record<string, unknown> | undefined> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
  const bytes = await arrived(request, limitBytes);
  if (bytes === undefined) throw tooLarge(limitBytes);
  if (bytes.length === 0) return undefined;
  requireJson(request);
  const text = decode(bytes);
  if (text.trim() === '') return undefined;
  requireShallow(text);
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new GatewayError('VALIDATION_ERROR', 'The body must be a JSON object.');
}

/** Throws VALIDATION_ERROR if the caller disconnects, which is not an error of the server. */
async function arrived(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  try {
    return await readAtMost(request, limitBytes);
  } catch (cause) {
    throw new GatewayError('VALIDATION_ERROR', 'The request body was not received.', { cause });
  }
}

/** Rejects nesting that is too deep for recursive code, before the text is parsed. */
function requireShallow(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      if (depth > NESTING_LIMIT)
        throw new GatewayError('VALIDATION_ERROR', `The body is nested deeper than ${NESTING_LIMIT} levels.`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
}

function requireJson(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const encoding = request.headers['content-encoding'];
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity';
  if (type === 'application/json' && isPlain && (charset === undefined || /^"?utf-?8"?$/.test(charset))) return;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8, without an encoding.');
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError('VALIDATION_ERROR', 'The body is not UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('VALIDATION_ERROR', 'The body is not well-formed JSON.', { cause });
  }
}

function tooLarge(limitBytes: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`);
}
