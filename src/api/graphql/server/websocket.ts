/** graphql-ws over upgrades of the HTTP server. The credential is in connectionParams, or else in the headers of the upgrade. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { inLane } from '../../../../prisma/database-pools.ts';
import { authenticate, type Credentials } from '../../../auth/authenticate.ts';
import { renewPrincipal } from '../../../auth/check-credential.ts';
import { isPublicCaller, type Principal } from '../../../auth/principal.ts';
import { type ErrorCode, GatewayError } from '../../../errors.ts';
import { clientAddress, fullClientAddress } from '../../../platform/client-address.ts';
import { newId } from '../../../platform/identifier.ts';
import type { PlaceCounter } from '../../../platform/limits/place-counter.ts';
import type { Admission, Gate } from '../../gate.ts';
import { refuseBrokenRequest } from '../../refuse-broken-request.ts';
import { acceptWebsockets } from '../requests/accept-websockets.ts';
import { checkOperation } from '../requests/check-operation.ts';
import type { Documents } from '../requests/open-documents.ts';
import { contextOf } from './context.ts';
import { faultFacts, formatFault, gatewayErrorOf, noteUnavailable } from './fault.ts';
import { byteLimits } from './limits.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { byRealTime, type World } from './world.ts';
import type { GatewayYoga } from './yoga.ts';

const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
const TOO_MANY = 4429;
const TOO_LARGE = 1009;
/** The WebSocket close code "try again later", after which clients of graphql-ws reconnect. */
const TRY_AGAIN = 1013;
/**
 * The interval of pings. A client that does not respond before the next ping is disconnected, so it occupies a place for at most twice this
 * time.
 */
const KEEP_ALIVE_MS = 15_000;
/** Maximum number of bytes buffered for a client that keeps sending requests without reading the responses. */
const UNREAD_LIMIT_BYTES = 16 * 1024 * 1024;
/** Size of a frame's head with its mask. */
const FRAME_HEAD_BYTES = 14;

type Connection = {
  /** Releases the place of the address. Connections of merchants occupy none. */
  release: () => void;
  /** Current maximum size of a message in bytes. */
  messageLimit: number;
};

type Extra = {
  request: IncomingMessage;
  socket: WebSocket;
  principal?: Principal;
  admission?: Admission | undefined;
  clientSecret?: string | undefined;
};

type Parts = {
  yoga: GatewayYoga;
  credentials: LiveCredentials;
  documents: Documents;
  places: PlaceCounter;
  gate?: Gate | undefined;
};

/**
 * Serves upgrades at `/graphql`. The returned function closes all connections. An upgrade is checked by its address, the first frame is
 * limited to a small size, and each operation is charged one unit of the rate limit before its document is parsed.
 */
export function openWebsocket(world: World, server: Server, parts: Parts): () => Promise<void> {
  const { config } = world;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: config.bodies.bytes });
  const connections = new WeakMap<WebSocket, Connection>();

  async function connect(extra: Extra, params: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    const credentials = credentialsOf(params, extra.request);
    const admission = await parts.gate?.admit({
      method: 'GET',
      headers: extra.request.headers,
      remoteAddress: extra.request.socket.remoteAddress,
      credentials,
      stays: true,
    });
    if (admission?.refusal !== undefined) throw admission.refusal;
    const { callerAddress } = callerOf(world, extra.request);
    const principal =
      admission?.principal ??
      (await authenticate({ ...byRealTime(world), memory: undefined }, { ...credentials, callerAddress }));
    Object.assign(extra, { principal, admission, clientSecret: credentials.clientSecret });
    const connection = connections.get(extra.socket);
    if (connection) {
      connection.messageLimit = byteLimits(config, principal).body;
      if (!isPublicCaller(principal)) connection.release();
    }
    const unwatch = parts.credentials.watch(principal, () => {
      // After the last messages of its operations, which end at the same time.
      setTimeout(() => extra.socket.close(UNAUTHORIZED, 'The credential has ended'), 50).unref();
    });
    extra.socket.once('close', unwatch);
  }

  /** Returns the operation to execute, or the errors of one protocol message, which end this operation only. */
  async function open(extra: Extra, params: SubscribePayload, requestId: string) {
    const { admission, clientSecret, principal: shown = { kind: 'anonymous' as const } } = extra;
    const refusal = admission && (await parts.gate?.charge(admission, 1));
    if (refusal !== undefined) throw refusal;
    // The caller was authenticated when the connection was opened. Any process may have revoked the credential since.
    const principal = await inLane('credentials', () => renewPrincipal(world.database, shown, world.realClock.now()));
    const caller = callerOf(world, extra.request);
    const sender = { principal, address: caller.address };
    const asked = parts.documents.find(sender, params);
    const { document, errors } = parts.documents.read(sender, asked ?? { text: '', isKnown: false });
    if (errors.length > 0) return [...errors];
    const charge = admission && ((units: number) => parts.gate?.charge(admission, units) ?? Promise.resolve());
    const context = contextOf(world, principal, { requestId, clientSecret, ...caller });
    const enveloped = parts.yoga.getEnveloped({ ...context, charge });
    const contextValue = await enveloped.contextFactory();
    const { operationName, variables: variableValues } = params;
    const request = { schema: enveloped.schema, document, operationName, variableValues, contextValue };
    const fault = await checkOperation(world, request);
    if (fault) return [fault];
    return { ...request, rootValue: { execute: enveloped.execute, subscribe: enveloped.subscribe } };
  }

  const close = acceptWebsockets<Extra>(
    { sockets, keepAliveMs: KEEP_ALIVE_MS, log: world.log, extraOf: (connected) => connected },
    {
      execute: (args) => bound(args.rootValue).execute(args),
      subscribe: (args) => bound(args.rootValue).subscribe(args),
      connectionInitWaitTimeout: 10_000,
      onConnect: async ({ connectionParams, extra }) => {
        try {
          await connect(extra, connectionParams);
          return true;
        } catch (error) {
          world.log.debug({ err: error }, 'A websocket was refused.');
          if (isFault(error, 'RATE_LIMIT_EXCEEDED')) extra.socket.close(TOO_MANY, 'Too many requests');
          else if (isFault(error, 'AUTHORIZATION_ERROR')) extra.socket.close(FORBIDDEN, 'Forbidden');
          else if (isFault(gatewayErrorOf(error), 'UNAVAILABLE')) refuseForNow(extra.socket, error);
          else extra.socket.close(UNAUTHORIZED, 'Unauthorized');
          return false;
        }
      },
      onSubscribe: async ({ extra, subscriptions }, _id, params) => {
        const requestId = newId();
        const facts = faultFacts(world, requestId);
        try {
          const limit = config.live.operationsPerConnection;
          if (Object.keys(subscriptions).length > limit) throw tooManyOperations(limit);
          const opened = await open(extra, params, requestId);
          return Array.isArray(opened) ? opened.map((error) => formatFault(facts, error)) : opened;
        } catch (error) {
          return [formatFault(facts, error)];
        }
      },
    },
  );
  sockets.on('wsClientError', refuseBrokenRequest);

  function refuseForNow(socket: WebSocket, error: unknown): void {
    const fault = gatewayErrorOf(error);
    if (fault) noteUnavailable(faultFacts(world, newId()), fault);
    socket.close(TRY_AGAIN, 'Try again later');
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const admission = await parts.gate?.admitAddress({
      headers: request.headers,
      remoteAddress: request.socket.remoteAddress,
    });
    const address = admission?.address ?? 'unknown';
    const release = parts.gate ? parts.places.take(address) : () => undefined;
    const refusal = admission?.refusal ?? (release ? undefined : tooManyConnections());
    if (refusal !== undefined || !release) {
      release?.();
      return refuseUpgrade(socket, refusal);
    }
    socket.once('close', release);
    const connection = { release, messageLimit: config.live.firstFrameBytes };
    sockets.handleUpgrade(request, socket, head, (made) => {
      connections.set(made, connection);
      limitMessages(made, socket, { connection, already: head.length });
      sockets.emit('connection', made, request);
    });
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until the WebSocket takes over, the connection has no other listener for errors.
    socket.on('error', () => socket.destroy());
    if (!/^\/graphql(\?|$)/.test(request.url ?? '')) return void socket.destroy();
    upgrade(request, socket, head).catch((error: unknown) => {
      world.log.warn({ err: error }, 'An upgrade failed.');
      socket.destroy();
    });
  });
  return close;
}

/** Closes a connection whose message exceeds the limit while it arrives, instead of after it is complete. */
function limitMessages(
  made: WebSocket,
  socket: Duplex,
  { connection, already }: { connection: Connection; already: number },
): void {
  let sinceMessage = already;
  socket.prependListener('data', (chunk: Buffer) => {
    sinceMessage += chunk.length;
    if (sinceMessage <= connection.messageLimit + FRAME_HEAD_BYTES) return;
    made.close(TOO_LARGE, 'The message is too large');
    socket.destroy();
  });
  // Pings and pongs between the parts of a message are not counted.
  for (const control of ['ping', 'pong'] as const) {
    made.on(control, (data) => {
      sinceMessage = Math.max(0, sinceMessage - data.length - FRAME_HEAD_BYTES);
    });
  }
  made.on('message', () => {
    sinceMessage = 0;
    if (made.bufferedAmount > UNREAD_LIMIT_BYTES) made.terminate();
  });
}

function refuseUpgrade(socket: Duplex, refusal: unknown): void {
  const fault = gatewayErrorOf(refusal);
  const retryAfterSeconds = fault?.retryAfterSeconds ?? 1;
  const head = [
    fault?.code === 'UNAVAILABLE' ? 'HTTP/1.1 503 Service Unavailable' : 'HTTP/1.1 429 Too Many Requests',
    `retry-after: ${retryAfterSeconds}`,
    'content-length: 0',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n`);
}

type Bound = { execute: (args: unknown) => never; subscribe: (args: unknown) => never };

/** Returns the enveloped functions that `onSubscribe` stored. */
function bound(rootValue: unknown): Bound {
  return rootValue as Bound;
}

function isFault(error: unknown, code: ErrorCode): boolean {
  return error instanceof GatewayError && error.code === code;
}

function tooManyOperations(limit: number): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', `At most ${limit} operations per connection are allowed.`);
}

export function tooManyConnections(): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', 'Too many connections from this address are open.', {
    retryAfterSeconds: 10,
  });
}

function callerOf(world: World, request: IncomingMessage) {
  const forwarded = request.headers['x-forwarded-for'];
  const connection = {
    remoteAddress: request.socket.remoteAddress,
    forwardedFor: Array.isArray(forwarded) ? forwarded[0] : forwarded,
    trustedProxies: world.config.trustedProxies,
  };
  return {
    address: clientAddress(connection),
    callerAddress: fullClientAddress(connection),
    userAgent: request.headers['user-agent'],
  };
}

function credentialsOf(params: Readonly<Record<string, unknown>> | undefined, request: IncomingMessage): Credentials {
  const given = new Map(Object.entries(params ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const read = (name: string): string | undefined => {
    const value = given.get(name) ?? request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { apiKey: read('x-api-key'), authorization: read('authorization'), clientSecret: read('x-client-secret') };
}
