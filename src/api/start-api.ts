import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import { isStranger } from '../auth/principal.ts';
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

/** Answers a request and says true, or leaves it untouched and says false. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** What handlers execute operations with. */
export type Served = { yoga: GatewayYoga; schema: Graph['schema'] };

export type ApiParts = {
  /** Judges and counts every call; without one the GraphQL server authenticates by itself. */
  gate?: Gate | undefined;
  /** Tried in order for every path but /graphql and the server's own: REST, documents, pages. */
  handlers?: ((served: Served) => HttpHandler)[];
  /** More of the GraphQL pipeline. */
  plugins?: Plugin<TransportContext>[];
  /** /healthz, /readyz and /metrics; without them they tell of this process and its database only. */
  service?: ServiceEndpoints;
  /** Told of every call when it is answered. */
  observe?: (call: HttpCall) => void;
};

export type RunningApi = { url: string; port: number; server: Server; yoga: GatewayYoga; close(): Promise<void> };

const LOOK_FOR_SLOW_MS = 5_000;
/** The headers that decide the form of an answer of GraphQL, and who may read it. */
const VARY = ['accept', 'accept-encoding', 'origin'];

/**
 * Serves `graph` at /graphql (HTTP, SSE, graphql-ws), what `handlers` answer, and /healthz, /readyz, /metrics.
 * Port 0 takes a free one. `close` ends live connections, waits for requests in flight, and closes the graph.
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
    // Pages, keys and health have one too; the APIs say it again with theirs.
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
    // For what is refused before Yoga is asked.
    response.setHeader('cache-control', 'no-store');
    response.setHeader('vary', VARY.join(', '));
    // By which pages count ages: a browser knows nothing of the test clock.
    response.setHeader('sluice-time', world.clock.now().toISOString());
    // Yoga makes a URL of it, and would print where that failed.
    if (!URL.canParse(`http://${request.headers.host ?? 'localhost'}/`))
      throw new GatewayError('VALIDATION_ERROR', 'The Host header is not valid.');
    // A preflight asks for nothing and shows no credential.
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

  /** Counts an event stream of a stranger against its address; RATE_LIMIT_EXCEEDED when the address has too many open. */
  function holdPlace({ principal, address }: Admission, response: ServerResponse): GatewayError | undefined {
    if (!isStranger(principal)) return undefined;
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
  // What Node would answer itself is judged by the listener: its own answers have no body.
  const options = {
    ServerResponse: encodingResponse(openCompressor({ atOnce: limits.compressionsAtOnce })),
    maxHeaderSize: limits.headLimitBytes,
    // How often Node looks for clients that are too slow.
    connectionsCheckingInterval: Math.min(limits.headTimeoutMs, LOOK_FOR_SLOW_MS),
    shouldUpgradeCallback: asksForWebsocket,
    requireHostHeader: false,
  };
  const server = createServer(options, listener);
  server.on('checkExpectation', listener);
  // A client that sends its head slowly holds a socket, nothing else.
  server.headersTimeout = limits.headTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.prependListener('request', noteExchange);
  server.on('clientError', refuseBrokenRequest);
  return server;
}

function noHost(): GatewayError {
  return new GatewayError('VALIDATION_ERROR', 'A request of HTTP/1.1 must have the header Host.');
}

/** Any other upgrade is passed over, as HTTP has it: Node would leave the connection to whoever listens, without an answer. */
function asksForWebsocket({ url = '/', headers }: IncomingMessage): boolean {
  return /^\/graphql(\?|$)/.test(url) && headers.upgrade?.toLowerCase() === 'websocket';
}

/** On every answer of Yoga, which would let caches keep a stream and names other headers alone. */
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
