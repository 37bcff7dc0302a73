/** One subscription over its own WebSocket, by the protocol graphql-transport-ws. */
import type { Connection } from '../connection.ts';
import { SluiceApiError, SluiceConnectionError } from '../errors.ts';
import { type GraphResult, graphError } from './graph-error.ts';
import { openInbox } from './inbox.ts';

export type Subscription = { query: string; variables: Record<string, unknown> };

/** An open socket that receives nothing for longer is considered dead, because the gateway pings more often. */
const SILENCE_LIMIT_MS = 45_000;
const PING_EVERY_MS = 20_000;

/** No WebSocket could be opened, for example because a proxy blocks it. */
export class NoSocketError extends SluiceConnectionError {}

type Message = { type?: string; payload?: unknown };

export function openSocket(
  connection: Connection,
  subscription: Subscription,
  signal: AbortSignal | undefined,
): AsyncIterable<GraphResult> {
  const inbox = openInbox<GraphResult>();
  const socket = connect(connection);
  let isAcknowledged = false;
  let lastMessageAt = performance.now();
  const send = (message: object) => socket.send(JSON.stringify(message));
  const watchdog = setInterval(() => {
    if (performance.now() - lastMessageAt > SILENCE_LIMIT_MS)
      end(new SluiceConnectionError('The connection timed out.'));
    else if (isAcknowledged) send({ type: 'ping' });
  }, PING_EVERY_MS);
  const stop = () => end(signal?.reason);
  const end = (error?: unknown) => {
    clearInterval(watchdog);
    signal?.removeEventListener('abort', stop);
    inbox.end(error);
    socket.close();
  };
  signal?.addEventListener('abort', stop, { once: true });
  socket.onopen = () => send({ type: 'connection_init', payload: connection.credentials });
  socket.onmessage = ({ data }) => {
    const message = readMessage(data);
    if (message.type === undefined) return;
    lastMessageAt = performance.now();
    if (message.type === 'ping') send({ type: 'pong' });
    if (message.type === 'connection_ack') {
      isAcknowledged = true;
      send({ id: '1', type: 'subscribe', payload: subscription });
    }
    if (message.type === 'next' && !inbox.put(message.payload as GraphResult)) {
      end(new SluiceConnectionError('More updates arrived than were read.'));
    }
    if (message.type === 'error') end(graphError((message.payload ?? []) as GraphResult['errors'] & object));
    if (message.type === 'complete') end();
  };
  // The close event that follows contains the reason.
  socket.onerror = () => undefined;
  socket.onclose = ({ code, reason }) => end(closeError(code, reason, isAcknowledged));
  return { [Symbol.asyncIterator]: () => inbox.read(() => end()) };
}

/** A page's security policy can make the constructor throw. */
function connect({ baseUrl }: Connection): WebSocket {
  try {
    return new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  } catch (error) {
    throw new NoSocketError('A WebSocket cannot be opened.', error);
  }
}

/** Messages outside the protocol are ignored. The silence limit then ends the connection to a peer that sends nothing else. */
function readMessage(data: unknown): Message {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    return {};
  }
}

function closeError(code: number, reason: string, wasAcknowledged: boolean): Error {
  if (code === 4401 || code === 4403) {
    const message = reason === '' ? 'The credential is missing or not valid.' : reason;
    return new SluiceApiError({ code: 'AUTHENTICATION_ERROR', message, status: 401 });
  }
  const message = `The socket closed with ${code}${reason === '' ? '' : `: ${reason}`}.`;
  if (code >= 4400 && code < 4500 && code !== 4408 && code !== 4429) {
    return new SluiceApiError({ code: 'UNEXPECTED_RESPONSE', message, status: 400, retryable: false });
  }
  // 1006 before the acknowledgement means that the handshake failed; a client receives no further reason.
  return wasAcknowledged || code !== 1006 ? new SluiceConnectionError(message) : new NoSocketError(message);
}
