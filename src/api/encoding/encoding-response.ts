/** The response class of all requests. It compresses JSON, regardless of the handler that writes it. */
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { chooseEncoding, type Encoding } from './accept-encoding.ts';
import type { Compressor } from './compressor.ts';

type Fields = OutgoingHttpHeaders | OutgoingHttpHeader[];
type Body = string | Uint8Array;

/** Shorter bodies are sent unencoded, because they fit in one or two packets together with their headers. */
const MINIMUM_BYTES = 1024;
const encodings: readonly Encoding[] = ['br', 'gzip'];
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * Returns the class for `createServer({ ServerResponse })`. A JSON body is held until it is complete, so that its length is known. A body
 * that is written in several parts, is already encoded, or has another type, such as an event stream, is passed through at once.
 */
export function encodingResponse(compressor: Compressor) {
  return class EncodingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** HELD: the head is set and waits for the body. PASSING: data is passed through. ENDED: the body is being compressed. */
    #state: 'OPEN' | 'HELD' | 'PASSING' | 'ENDED' = 'OPEN';
    #body: Body | undefined;

    override writeHead(status: number, reason?: string | Fields, fields?: Fields): this {
      if (this.#state === 'ENDED') return this;
      const headers = typeof reason === 'string' ? fields : (fields ?? reason);
      const isHeld = this.#state === 'OPEN' && !Array.isArray(headers) && isJson(this, headers);
      if (!isHeld) {
        if (this.#state === 'OPEN') this.#state = 'PASSING';
        return typeof reason === 'string' ? super.writeHead(status, reason, fields) : super.writeHead(status, headers);
      }
      this.statusCode = status;
      if (typeof reason === 'string' && reason !== '') this.statusMessage = reason;
      for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) this.setHeader(name, value);
      this.#state = 'HELD';
      return this;
    }

    override write(...given: unknown[]): boolean {
      if (this.#state === 'ENDED') return false;
      const chunk = onlyChunk(given);
      if (this.#state === 'HELD' && this.#body === undefined && isBody(chunk)) {
        this.#body = chunk;
        return true;
      }
      this.#pass();
      return Reflect.apply(super.write, this, given);
    }

    override flushHeaders(): void {
      if (this.#state === 'ENDED') return;
      this.#pass();
      super.flushHeaders();
    }

    override end(...given: unknown[]): this {
      if (this.#state === 'ENDED') return this;
      const chunk = onlyChunk(given);
      const body = this.#body === undefined ? chunk : chunk === undefined ? this.#body : undefined;
      if (this.#isCandidate() && isBody(body)) return this.#endWith(body);
      this.#pass();
      return Reflect.apply(super.end, this, given);
    }

    #isCandidate(): boolean {
      return this.#state === 'HELD' || (this.#state === 'OPEN' && isJson(this, undefined));
    }

    /** Stops holding the response and sends what was held. */
    #pass(): void {
      const held = this.#state === 'HELD' ? this.#body : undefined;
      this.#state = 'PASSING';
      this.#body = undefined;
      if (held !== undefined) super.write(held);
    }

    #endWith(body: Body): this {
      this.#body = undefined;
      addVary(this, 'accept-encoding');
      const encoding = encodingFor(this.req.headers['accept-encoding'], body);
      const compressed = encoding && compressor.compress(body, encoding);
      if (!compressed) return this.#send(body);
      if (!(compressed instanceof Promise)) return this.#send(compressed, encoding);
      this.#state = 'ENDED';
      compressed.then(
        (bytes) => this.#send(bytes, encoding),
        () => this.#send(body),
      );
      return this;
    }

    #send(body: Body, encoding?: Encoding): this {
      this.#state = 'PASSING';
      if (this.destroyed) return this;
      if (encoding) this.setHeader('content-encoding', encoding);
      this.setHeader('content-length', Buffer.byteLength(body));
      return super.end(body);
    }
  };
}

function encodingFor(accepted: string | undefined, body: Body): Encoding | undefined {
  // Unless the header refuses something, a short body needs no encoding, so the header is not parsed.
  const isShort = Buffer.byteLength(body) < MINIMUM_BYTES;
  if (accepted === undefined || (isShort && !accepted.includes('=0'))) return undefined;
  const { encoding, refusesPlain } = chooseEncoding(accepted, encodings);
  return isShort && !refusesPlain ? undefined : encoding;
}

/** Returns the chunk, with undefined for `null`; returns null if further arguments are given. */
function onlyChunk([chunk, ...rest]: unknown[]): unknown {
  const isOnly = rest.every((one) => one === undefined || one === null);
  return isOnly ? (chunk ?? undefined) : null;
}

function isBody(chunk: unknown): chunk is Body {
  return (typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length > 0;
}

/** Whether the response is JSON that is not encoded yet. */
function isJson(response: ServerResponse, headers: OutgoingHttpHeaders | undefined): boolean {
  const field = (name: string) => fieldOf(headers, name) ?? response.getHeader(name);
  const type = field('content-type');
  return typeof type === 'string' && JSON_TYPE.test(type) && field('content-encoding') === undefined;
}

function fieldOf(headers: OutgoingHttpHeaders | undefined, name: string): OutgoingHttpHeader | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return headers[key];
  return undefined;
}

function addVary(response: ServerResponse, name: string): void {
  const vary = response.getHeader('vary');
  if (vary === undefined) response.setHeader('vary', name);
  else if (!String(vary).toLowerCase().includes(name)) response.setHeader('vary', `${vary}, ${name}`);
}
