import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GatewayError } from '../errors.ts';
import { newId } from '../platform/identifier.ts';
import { printError } from './rest/print-error.ts';

type Refusal = { status: number; code: ErrorCode; message: string };

/** Refusals by Node's error code. All other errors mean that the request is not HTTP. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'VALIDATION_ERROR', message: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'VALIDATION_ERROR', message: 'The request was not received in time.' },
};
/** The latest request of each connection, with its response. */
const exchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
const unreadable: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'The request is not valid HTTP.' };

/** Records the latest request of a connection, so that `refuseBrokenRequest` does not answer it twice. For `server.on('request')`. */
export function noteExchange(request: IncomingMessage, response: ServerResponse): void {
  exchanges.set(request.socket, { request, response });
}

/**
 * Responds to requests that Node's parser rejects, in the format of other errors: 431 for a head larger than REQUEST_HEAD_LIMIT_BYTES, 408
 * for a sender that was too slow, and 400 for a request that is not HTTP. A request that was answered before its body broke off receives no
 * second response. For `server.on('clientError')`.
 */
export function refuseBrokenRequest(error: Error, socket: Duplex): void {
  const cause = 'code' in error ? String(error.code) : '';
  if (cause === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const exchange = exchanges.get(socket);
  if (exchange?.response.headersSent && !exchange.request.complete) {
    // Data of the response that is already written is still sent.
    socket.end();
    return;
  }
  const { status, code, message } = refusals[cause] ?? unreadable;
  const requestId = newId();
  const fault = new GatewayError(code, message, { cause: error });
  const { contentType, body } = printError(fault, { requestId, path: '', accept: undefined });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
