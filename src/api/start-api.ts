import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import { isPublicCaller } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { followCall, type HttpCall, nameRoute } from '../platform/http-call.ts';
import { openPlaceCounter } from '../platform/limits/place-counter.ts';
import { openMetrics } from '../platform/metrics.ts';
import { requestId as newRequestId } from '../platform/request-id.ts';
import { traced } from '../platform/request-trace.ts';
import { openServiceEndpoints, type ServiceEndpoints } from '../platform/service-endpoints.ts';
import { openCompressor } from './encoding/compressor.ts';
import { encodingResponse } from './encoding/encoding-response.ts';
import { endWhenUnread } from './end-when-unread.ts';
import type { Admission, Gate } from './gate.ts';
import type { Graph } from './graph.ts';
import { loadKnownDocuments } from './graphql/requests/known-documents.ts';
import { openDocuments } from './graphql/requests/open-documents.ts';
import { refuseGraphql } from './graphql/requests/refuse-graphql.ts';
import { servePlainly } from './graphql/requests/serve-plainly.ts';
import { faultFacts, formatFault } from './graphql/server/fault.ts';
import { openLiveCredentials } from './graphql/server/live-credentials.ts';
import type { TransportContext } from './graphql/server/request-plugin.ts';
import { openWebsocket, tooManyConnections } from './graphql/server/websocket.ts';
import { byRealTime, type World } from './graphql/server/world.ts';
import { type GatewayYoga, openYoga } from './graphql/server/yoga.ts';
import { asksForPage } from './pages/asks-for-page.ts';
import { noteExchange, refuseBrokenRequest } from './refuse-broken-request.ts';

/** Handles a request and returns true, or leaves it untouched and returns false. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** What handlers need to execute operations. */
export type Served = { yoga: GatewayYoga; schema: Graph['schema'] };

export type ApiParts = {
  /** Authenticates and counts every call. Without it, the GraphQL server authenticates callers. */
  gate?: Gate | undefined;
  /** Handlers for REST, documents and pages, tried in order for all paths except /graphql and those of the server itself. */
  handlers?: ((served: Served) => HttpHandler)[];
  /** Further plugins of the GraphQL pipeline. */
  plugins?: Plugin<TransportContext>[];
  /** Serves /healthz, /readyz and /metrics. Without it, they cover this process and its database only. */
  service?: ServiceEndpoints;
  /** Called for every call once its response is complete. */
  observe?: (call: HttpCall) => void;
};

export type RunningApi = { url: string; port: number; server: Server; yoga: GatewayYoga; close(): Promise<void> };

const LOOK_FOR_SLOW_MS = 5_000;
/** The request headers that determine the format of a GraphQL response and who may read it. */
const VARY = ['accept', 'accept-encoding', 'origin'];

/**
 * Serves `graph` at /graphql (HTTP, SSE, graphql-ws), the paths of `handlers`, and /healthz, /readyz and /metrics. Port 0 selects a free
 * port. `close` ends live connections, waits for requests in progress, and closes the graph.
 */
export async function startApi(
  { world, graph }: { world: World; graph: Graph },
  listen: { host: string; port: number },
  parts: ApiParts = {},
): Promise<RunningApi> {
  const credentials = openLiveCredentials(byRealTime(world));
  const documents = openDocuments(world.config, { schema: graph.schema, known: loadKnownDocuments() });
  const places = openPlaceCounter({ limit: world.config.live.connectionsPerAddress });
  const yoga = openYoga(world, { graph, credentials, documents, plugins: [...(parts.plugins ?? []), cacheHeaders()] });
  const handlers = [...(parts.handlers ?? []).map((make) => make({ yoga, schema: graph.schema }))];
  const service = parts.service ?? plainService(world);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0];
    // Pages, keys and health checks have a request id too. The APIs set it again with their own headers.
    const requestId = newRequestId(single(request.headers['x-request-id']));
    response.setHeader('x-request-id', requestId);
    if (request.httpVersion === '1.1' && request.headers.host === undefined) throw noHost();
    if (await service(request, response)) return;
    if (parts.observe) followCall(request, response, parts.observe);
    if (path === '/graphql' && !asksForPage(request)) return serveGraphql(request, response, requestId);
    for (const handle of handlers) if (await handle(request, response)) return;
    printFault(world, response, requestId, new GatewayError('NOT_FOUND', 'No such path.'));
  }

  async function serveGraphql(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    nameRoute(response, '/graphql');
    // For requests that are refused before they reach Yoga.
    response.setHeader('cache-control', 'no-store');
    response.setHeader('vary', VARY.join(', '));
    // Pages compute ages by this time, because a browser does not know the test clock.
    response.setHeader('sluice-time', world.clock.now().toISOString());
    // Yoga parses it as a URL and would print an internal error if that failed.
    if (!URL.canParse(`http://${request.headers.host ?? 'localhost'}/`))
      throw new GatewayError('VALIDATION_ERROR', 'The Host header is not valid.');
    // A preflight request reads nothing and has no credentials.
    const admission = request.method === 'OPTIONS' ? undefined : await admit(request, requestId);
    for (const [name, value] of Object.entries(admission?.headers ?? {})) response.setHeader(name, value);
    const isStream = /text\/event-stream/.test(request.headers.accept ?? '');
    const refusal = admission?.refusal ?? (isStream && admission ? holdPlace(admission, response) : undefined);
    if (refusal !== undefined) return refuseGraphql(faultFacts(world, requestId), { request, response, refusal });
    const charge = admission && ((units: number) => chargeCall(admission, units, response));
    const own = { requestId, answer: { replayed: false }, incoming: request };
    const context = admission ? { ...own, admission, charge } : own;
    if (isStream) endWhenUnread(response);
    await traced(requestId, async () => {
      if (await servePlainly({ world, yoga, documents }, { request, response, context })) return;
      await yoga(request, response, context);
    });
  }

  function admit(
    { method = 'GET', headers, socket }: IncomingMessage,
    requestId: string,
  ): Promise<Admission> | undefined {
    return parts.gate?.admit({ method, headers, remoteAddress: socket.remoteAddress, requestId });
  }

  async function chargeCall(admission: Admission, units: number, response: ServerResponse): Promise<unknown> {
    const refusal = await parts.gate?.charge(admission, units);
    if (!response.headersSent) {
      for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    }
    return refusal;
  }

  /** Counts an event stream of a caller without a key against its address. Returns RATE_LIMIT_EXCEEDED if the address has too many open. */
  function holdPlace({ principal, address }: Admission, response: ServerResponse): GatewayError | undefined {
    if (!isPublicCaller(principal)) return undefined;
    const release = places.take(address);
    if (!release) return tooManyConnections();
    response.once('close', release);
    return undefined;
  }

  const server = openServer(world.config.http, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      const requestId = newRequestId(single(request.headers['x-request-id']));
      if (response.headersSent) response.destroy();
      else printFault(world, response, requestId, error);
    });
  });
  const closeWebsocket = openWebsocket(world, server, { yoga, credentials, documents, places, gate: parts.gate });
  const port = await listening(server, listen);

  return {
    url: `http://${listen.host}:${port}`,
    port,
    server,
    yoga,
    async close() {
      credentials.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await closeWebsocket();
      server.closeIdleConnections();
      const grace = setTimeout(() => server.closeAllConnections(), 5_000);
      await closed;
      clearTimeout(grace);
      await yoga.dispose();
      await graph.close();
    },
  };
}

function openServer(limits: World['config']['http'], listener: RequestListener): Server {
  // The listener handles what Node would answer itself, because Node's own responses have no body.
  const options = {
    ServerResponse: encodingResponse(openCompressor({ atOnce: limits.compressionsAtOnce })),
    maxHeaderSize: limits.headLimitBytes,
    // The interval at which Node checks for clients that are too slow.
    connectionsCheckingInterval: Math.min(limits.headTimeoutMs, LOOK_FOR_SLOW_MS),
    shouldUpgradeCallback: asksForWebsocket,
    requireHostHeader: false,
  };
  const server = createServer(options, listener);
  server.on('checkExpectation', listener);
  // A client that sends its head slowly occupies a socket and nothing else.
  server.headersTimeout = limits.headTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.prependListener('request', noteExchange);
  server.on('clientError', refuseBrokenRequest);
  return server;
}

function noHost(): GatewayError {
  return new GatewayError('VALIDATION_ERROR', 'An HTTP/1.1 request must have the header Host.');
}

/** Any other upgrade is ignored, as HTTP specifies. Node would otherwise leave the connection to the listeners, without a response. */
function asksForWebsocket({ url = '/', headers }: IncomingMessage): boolean {
  return /^\/graphql(\?|$)/.test(url) && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Sets the caching headers of Yoga's responses, because Yoga would allow caches to store a stream and lists only other headers in Vary. */
function cacheHeaders(): Plugin<TransportContext> {
  return {
    onResponse({ response }) {
      response.headers.set('cache-control', 'no-store');
      const vary = new Set(VARY);
      for (const name of response.headers.get('vary')?.split(',') ?? []) vary.add(name.trim().toLowerCase());
      response.headers.set('vary', [...vary].join(', '));
    },
  };
}

function plainService(world: World): ServiceEndpoints {
  const { database, log } = world;
  const metrics = openMetrics({ part: 'api', log });
  const readiness = async () => {
    await database.$queryRaw`SELECT 1`;
    return { faults: [], notes: [] };
  };
  return openServiceEndpoints({ metrics, readiness, log }, { metricsFor: 'LOCAL' });
}

function printFault(world: World, response: ServerResponse, requestId: string, error: unknown): void {
  const fault = formatFault(faultFacts(world, requestId), error);
  const { http, retryable: _retryable, retryAfterSeconds, ...printed } = fault.extensions;
  const status = typeof http === 'object' && http !== null && 'status' in http ? Number(http.status) : 500;
  const body = JSON.stringify({ success: false, error: { ...printed, message: fault.message } });
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...(typeof retryAfterSeconds === 'number' ? { 'retry-after': String(Math.ceil(retryAfterSeconds)) } : {}),
  });
  response.end(body);
}

function listening(server: Server, listen: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : listen.port);
    });
  });
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
