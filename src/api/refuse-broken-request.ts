import type { Duplex } from 'node:stream';
import { GatewayError } from '../errors.ts';
import { newId } from '../platform/identifier.ts';
import { printError } from './rest/print-error.ts';

/**
 * Answers what Node's own parser refused (a head over 16 KiB, no HTTP at all, too slow a sender) in the shape of an
 * error: 400. For `server.on('clientError')`.
 */
export function refuseBrokenRequest(error: Error, socket: Duplex): void {
  const isGone = 'code' in error && error.code === 'ECONNRESET';
  if (isGone || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const fault = new GatewayError('VALIDATION_ERROR', 'The request cannot be read, or its head is too large.', {
    cause: error,
  });
  const { status, contentType, body } = printError(fault, { requestId, path: '', accept: undefined });
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
