/**
 * The REST API over Node's HTTP server. It finds the route, passes the gate, and responds in the API's envelope. Everything else is defined
 * by the document of the route; REST has no logic of its own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { restRoutes } from '../../../generated/rest.ts';
import { GatewayError } from '../../errors.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { requestId } from '../../platform/request-id.ts';
import type { Admission, Gate } from '../gate.ts';
import type { Graph } from '../graph.ts';
import { requireFieldAccess } from '../graphql/server/access/root-access.ts';
import { faultFacts, gatewayErrorOf, noteUnavailable } from '../graphql/server/fault.ts';
import { byteLimits } from '../graphql/server/limits.ts';
import type { World } from '../graphql/server/world.ts';
import type { GatewayYoga } from '../graphql/server/yoga.ts';
import { corsHeaders, type Openness, preflightHeaders } from './cors.ts';
import { printError } from './print-error.ts';
import { openDocuments } from './published-documents.ts';
import { readBody } from './read-body.ts';
import { resultEnvelope } from './result-envelope.ts';
import { openRouteTable, type RouteMatch } from './route-table.ts';
import { runRoute } from './run-route.ts';

export type Rest = {
  /** Responds to any request, with 404 for an unknown path. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<true>;
  /** Whether the path exists, for any method. */
  knows(path: string): boolean;
};

type Found = Extract<RouteMatch, { found: true }>;
type Answer = { status: number; headers: Record<string, string>; body: string | Buffer | null };

/** The methods of the published documents. */
const READING = ['GET', 'HEAD'];

export function openRest(options: {
  world: World;
  schema: Graph['schema'];
  yoga: Pick<GatewayYoga, 'getEnveloped'>;
  gate: Gate;
}): Rest {
  const { world, schema, yoga, gate } = options;
  const table = openRouteTable(schema, restRoutes);
  const documents = openDocuments({ publicUrl: world.config.publicUrl });

  async function answerRoute(
    match: Found,
    request: IncomingMessage,
    query: URLSearchParams,
    admission: Admission,
  ): Promise<Answer> {
    const { route } = match.running;
    if (admission.refusal !== undefined) throw admission.refusal;
    requireFieldAccess(
      { principal: admission.principal, config: world.config },
      { name: route.field, needed: route.access },
    );
    const limitBytes = byteLimits(world.config, admission.principal).body;
    const body =
      route.method === 'POST' || route.method === 'PUT' ? await readBody(request, { limitBytes }) : undefined;
    const values = { path: match.path, query, body };
    const { data, replayed } = await runRoute({ world, yoga }, { running: match.running, admission, values });
    const printed = resultEnvelope(route, data);
    return {
      status: route.status,
      headers: {
        ...(printed === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
      },
      body: printed === null ? null : JSON.stringify(printed),
    };
  }

  /** Responds to an unknown path, or to a method that the path does not support, without authenticating the caller. */
  function answerUnmatched(method: string, allowed: string[], openness: Openness): Answer {
    if (allowed.length === 0) throw new GatewayError('NOT_FOUND', 'No such path.');
    const allow = [...allowed, 'OPTIONS'].join(', ');
    if (method === 'OPTIONS')
      return { status: 204, headers: { allow, ...preflightHeaders(openness, allow) }, body: null };
    throw new GatewayError('METHOD_NOT_ALLOWED', `This path accepts ${allow}.`, { meta: { allow } });
  }

  async function answer(request: IncomingMessage, id: string): Promise<Answer> {
    const method = request.method ?? 'GET';
    const [path = '/', search = ''] = splitOnce(request.url ?? '/');
    const document = await documents.find(method, path, request.headers['accept-encoding']);
    if (document) return { ...document, headers: { 'x-request-id': id, ...document.headers } };
    const match: RouteMatch = documents.has(path) ? { found: false, allowed: READING } : table.match(method, path);
    const openness = opennessOf(match, path);
    const headers: Record<string, string> = { 'x-request-id': id, ...corsHeaders(openness) };
    try {
      if (!match.found) {
        const unmatched = answerUnmatched(method, match.allowed, openness);
        return { ...unmatched, headers: { ...headers, ...unmatched.headers } };
      }
      const admission = await gate.admit({
        method,
        headers: request.headers,
        remoteAddress: request.socket.remoteAddress,
        requestId: id,
        ...(isCardPath(path) ? { credentials: { authorization: request.headers.authorization } } : {}),
      });
      Object.assign(headers, admission.headers);
      const answered = await answerRoute(match, request, new URLSearchParams(search), admission);
      return { ...answered, headers: { ...headers, ...answered.headers } };
    } catch (error) {
      return failed(error, { request, path, id, headers });
    }
  }

  function failed(
    error: unknown,
    call: { request: IncomingMessage; path: string; id: string; headers: Record<string, string> },
  ): Answer {
    const fault = gatewayErrorOf(error) ?? masked(error, call.id);
    noteUnavailable(faultFacts(world, call.id), fault);
    const printed = printError(fault, { requestId: call.id, path: call.path, accept: call.request.headers.accept });
    const allow: Record<string, string> =
      fault.code === 'METHOD_NOT_ALLOWED' && typeof fault.meta?.allow === 'string' ? { allow: fault.meta.allow } : {};
    const close: Record<string, string> = fault.code === 'PAYLOAD_TOO_LARGE' ? { connection: 'close' } : {};
    return {
      status: printed.status,
      headers: { ...call.headers, ...printed.headers, ...allow, ...close, 'content-type': printed.contentType },
      body: printed.body,
    };
  }

  function masked(error: unknown, id: string): GatewayError {
    world.log.error({ requestId: id, err: error }, 'An unexpected error was masked.');
    return new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error });
  }

  function opennessOf(match: RouteMatch, path: string): Openness {
    if (isCardPath(path)) return 'OWN_CREDENTIALS';
    const found = match.found ? [match] : match.allowed.map((method) => table.match(method, path));
    const access = found.flatMap((held) => (held.found ? held.running.route.access : []));
    if (access.includes('public')) return 'PUBLIC';
    return access.includes('session') ? 'OWN_CREDENTIALS' : 'CLOSED';
  }

  return {
    knows(path) {
      if (documents.has(path)) return true;
      const match = table.match('GET', path);
      return match.found || match.allowed.length > 0;
    },
    async handle(request, response) {
      // The server has already assigned a request id.
      const named = response.getHeader('x-request-id');
      const id = typeof named === 'string' ? named : requestId(single(request.headers['x-request-id']));
      const match = table.match(request.method ?? 'GET', (request.url ?? '/').split('?', 1)[0] ?? '/');
      if (match.found) nameRoute(response, match.running.route.path);
      send(request, response, await answer(request, id));
      return true;
    },
  };
}

/** The card API accepts bearer tokens only and ignores the headers of other credentials. */
function isCardPath(path: string): boolean {
  return path.startsWith('/v1/');
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  const length: Record<string, number> = status === 204 ? {} : { 'content-length': Buffer.byteLength(body ?? '') };
  response.writeHead(status, {
    'cache-control': 'no-store',
    vary: 'accept',
    'x-content-type-options': 'nosniff',
    ...headers,
    ...length,
  });
  // Node omits the body for HEAD, but computes its length.
  response.end(body ?? undefined);
  // The rest of an unread body is discarded, so that the connection can be reused.
  if (!request.readableEnded) request.resume();
}

function splitOnce(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
