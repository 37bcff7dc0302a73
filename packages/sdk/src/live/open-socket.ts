/** One subscription over a websocket of its own, by the protocol graphql-transport-ws. */
import type { Connection } from '../connection.ts';
import { SluiceApiError, SluiceConnectionError } from '../errors.ts';
import { type GraphResult, graphError } from './graph-error.ts';
import { openInbox } from './inbox.ts';

export type Subscription = { query: string; variables: Record<string, unknown> };

/** A socket that opened but is silent for longer is dead: the gateway pings more often, and answers each ping. */
const SILENCE_LIMIT_MS = 45_000;
const PING_EVERY_MS = 20_000;

/** No socket could be opened here: a proxy refuses them, for example. */
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
  let heardAt = performance.now();
  const send = (message: object) => socket.send(JSON.stringify(message));
  const watchdog = setInterval(() => {
    if (performance.now() - heardAt > SILENCE_LIMIT_MS) end(new SluiceConnectionError('The socket fell silent.'));
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
    heardAt = performance.now();
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
  // What went wrong is said by the close event that follows.
  socket.onerror = () => undefined;
  socket.onclose = ({ code, reason }) => end(closeError(code, reason, isAcknowledged));
  return { [Symbol.asyncIterator]: () => inbox.read(() => end()) };
}

/** A page's security policy refuses a socket when it is made. */
function connect({ baseUrl }: Connection): WebSocket {
  try {
    return new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  } catch (error) {
    throw new NoSocketError('No socket may be opened here.', error);
  }
}

/** What is not of the protocol is passed over; a peer that speaks nothing else falls silent for the watchdog. */
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
  // 1006 before anything was said: the handshake failed, which is all that a client learns of it.
  return wasAcknowledged || code !== 1006 ? new SluiceConnectionError(message) : new NoSocketError(message);
}
