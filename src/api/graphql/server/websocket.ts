/** graphql-ws on the HTTP server's upgrade: the credential is in connectionParams, else in the upgrade's headers. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { authenticate, type Credentials } from '../../../auth/authenticate.ts';
import type { Principal } from '../../../auth/principal.ts';
import { GatewayError } from '../../../errors.ts';
import { clientAddress } from '../../../platform/client-address.ts';
import { newId } from '../../../platform/identifier.ts';
import type { Admission, Gate } from '../../gate.ts';
import { contextOf } from './context.ts';
import { formatFault } from './fault.ts';
import { BODY_LIMIT_BYTES } from './limits.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { documentOf, type PersistedDocuments } from './persisted-documents.ts';
import { byRealTime, type World } from './world.ts';
import type { GatewayYoga } from './yoga.ts';

const UNAUTHORIZED = 4401;
const TOO_MANY = 4429;
/** Operations that one connection may have open. */
const OPERATIONS_LIMIT = 200;
/** A client that does not answer a ping until the next one is cut: one that reads nothing holds its place for twice this. */
const KEEP_ALIVE_MS = 15_000;
/** Bytes that may wait for a client that goes on asking without reading the answers. */
const UNREAD_LIMIT_BYTES = 16 * 1024 * 1024;

type Extra = {
  request: IncomingMessage;
  socket: WebSocket;
  principal?: Principal;
  admission?: Admission | undefined;
};

type Parts = {
  yoga: GatewayYoga;
  credentials: LiveCredentials;
  documents: PersistedDocuments;
  gate?: Gate | undefined;
};

/** Serves `/graphql` for upgrades; the returned function closes every connection. */
export function openWebsocket(world: World, server: Server, parts: Parts): () => Promise<void> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: BODY_LIMIT_BYTES });
  const served = useServer<Record<string, unknown>, Extra>(
    {
      execute: (args) => bound(args.rootValue).execute(args),
      subscribe: (args) => bound(args.rootValue).subscribe(args),
      connectionInitWaitTimeout: 10_000,
      onConnect: async ({ connectionParams, extra }) => {
        try {
          const credentials = credentialsOf(connectionParams, extra.request);
          const admission = await parts.gate?.admit({
            method: 'GET',
            headers: extra.request.headers,
            remoteAddress: extra.request.socket.remoteAddress,
            credentials,
          });
          if (admission?.refusal !== undefined) throw admission.refusal;
          const principal = admission?.principal ?? (await authenticate(byRealTime(world), credentials));
          Object.assign(extra, { principal, admission });
          const unwatch = parts.credentials.watch(principal, () => {
            // After the last words of its operations, which are cut by the same watch.
            setTimeout(() => extra.socket.close(UNAUTHORIZED, 'The credential has ended'), 50).unref();
          });
          extra.socket.once('close', unwatch);
          return true;
        } catch (error) {
          world.log.debug({ err: error }, 'A websocket was refused.');
          if (isLimit(error)) extra.socket.close(TOO_MANY, 'Too many requests');
          else extra.socket.close(UNAUTHORIZED, 'Unauthorized');
          return false;
        }
      },
      onSubscribe: async ({ extra, subscriptions }, _id, params) => {
        const requestId = newId();
        const facts = { requestId, log: world.log };
        try {
          if (Object.keys(subscriptions).length > OPERATIONS_LIMIT) return [formatFault(facts, tooManyOperations())];
          const refusal = extra.admission && (await parts.gate?.recount(extra.admission));
          if (refusal !== undefined) return [formatFault(facts, refusal)];
          const principal = extra.principal ?? { kind: 'anonymous' as const };
          const enveloped = parts.yoga.getEnveloped({
            ...contextOf(world, principal, { requestId, address: addressOf(world, extra.request) }),
          });
          const query = documentOf(parts.documents, world.config.graphql.persistedOnly, params);
          const document = enveloped.parse(query ?? '');
          const errors = enveloped.validate(enveloped.schema, document);
          if (errors.length > 0) return errors.map((error: unknown) => formatFault(facts, error));
          return {
            schema: enveloped.schema,
            document,
            operationName: params.operationName,
            variableValues: params.variables,
            contextValue: await enveloped.contextFactory(),
            rootValue: { execute: enveloped.execute, subscribe: enveloped.subscribe },
          };
        } catch (error) {
          return [formatFault(facts, error)];
        }
      },
    },
    sockets,
    KEEP_ALIVE_MS,
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!/^\/graphql(\?|$)/.test(request.url ?? '')) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (made) => {
      made.on('message', () => {
        if (made.bufferedAmount > UNREAD_LIMIT_BYTES) made.terminate();
      });
      sockets.emit('connection', made, request);
    });
  });
  return async () => {
    await served.dispose();
  };
}

type Bound = { execute: (args: unknown) => never; subscribe: (args: unknown) => never };

/** The enveloped functions that `onSubscribe` put there. */
function bound(rootValue: unknown): Bound {
  return rootValue as Bound;
}

function isLimit(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'RATE_LIMIT_EXCEEDED';
}

function tooManyOperations(): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', `At most ${OPERATIONS_LIMIT} operations a connection.`);
}

function addressOf(world: World, request: IncomingMessage): string {
  const forwarded = request.headers['x-forwarded-for'];
  return clientAddress({
    remoteAddress: request.socket.remoteAddress,
    forwardedFor: Array.isArray(forwarded) ? forwarded[0] : forwarded,
    trustedProxies: world.config.trustedProxies,
  });
}

function credentialsOf(params: Readonly<Record<string, unknown>> | undefined, request: IncomingMessage): Credentials {
  const given = new Map(Object.entries(params ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const read = (name: string): string | undefined => {
    const value = given.get(name) ?? request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { apiKey: read('x-api-key'), authorization: read('authorization'), clientSecret: read('x-client-secret') };
}
