/**
 * Serves the requests that nearly all clients send, a POST of JSON with a single result, without objects of the Fetch API, which cost more
 * than most operations. The operation passes through the same pipeline. All other requests, and those whose body is malformed, are left to
 * the GraphQL server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { readAtMost } from '../../../platform/outbound/read-at-most.ts';
import { byteLimits } from '../server/limits.ts';
import { isResult, printedResult, type TransportContext } from '../server/request-plugin.ts';
import type { World } from '../server/world.ts';
import { CORS_MAX_AGE_SECONDS, type GatewayYoga } from '../server/yoga.ts';
import type { Documents } from './open-documents.ts';

type Call = { request: IncomingMessage; response: ServerResponse; context: TransportContext };
type Params = { query?: string; documentId?: unknown; extensions?: Record<string, unknown> };

/** The media type of the response, by the values of `Accept` that are supported here. */
const mediaTypes = new Map<string | undefined, string>([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);
const JSON_BODY = /^application\/json(?:; ?charset=utf-8)?$/i;
const LENGTH = /^[1-9]\d{0,8}$/;
/** Headers of requests that are handled elsewhere. */
const unusual = ['content-encoding', 'transfer-encoding', 'expect', 'access-control-request-headers'] as const;
const parameters: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'documentId', 'extensions']);

/** Responds to the request and returns true, or returns false. If the body was read, it is then in the request's `body`. */
export async function servePlainly(
  parts: { world: World; yoga: GatewayYoga; documents: Documents },
  { request, response, context }: Call,
): Promise<boolean> {
  const mediaType = mediaTypes.get(request.headers.accept);
  if (mediaType === undefined || !isPlain(parts.world, { request, context })) return false;
  // A client that disconnected before its body was complete does not read a response.
  const body = await readAtMost(request, Number(request.headers['content-length'])).catch(() => undefined);
  if (body === undefined) return true;
  const params = paramsOf(body);
  if (!params || mayStream(parts.documents, params, context)) {
    Object.assign(request, { body });
    return false;
  }
  const result = await resultOf(parts.yoga, { params, request, context });
  if (response.destroyed) return true;
  const printed = printedResult(parts.world, result, context);
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-max-age', String(CORS_MAX_AGE_SECONDS));
  }
  if (!printed.errors && !printed.extensions?.http) {
    response.writeHead(200, { 'content-type': `${mediaType}; charset=utf-8` });
    response.end(JSON.stringify(printed));
    return true;
  }
  // The status of errors follows the rules of GraphQL over HTTP, which the server implements.
  const refused = processRegularResult(printed, parts.yoga.fetchAPI, mediaType);
  response.writeHead(refused.status, Object.fromEntries(refused.headers));
  response.end(await refused.text());
  return true;
}

function isPlain(world: World, { request, context: { admission } }: Pick<Call, 'request' | 'context'>): boolean {
  const { method, url, headers } = request;
  if (method !== 'POST' || url !== '/graphql' || !admission) return false;
  if (!JSON_BODY.test(headers['content-type'] ?? '') || unusual.some((name) => headers[name] !== undefined))
    return false;
  const length = headers['content-length'] ?? '';
  return LENGTH.test(length) && Number(length) <= byteLimits(world.config, admission.principal).body;
}

/** Returns the parameters of the request, or undefined if the server must report what is wrong with them. */
function paramsOf(body: Buffer): Params | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.keys(value).every((name) => parameters.has(name)) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the document may contain a subscription, according to its text. A document that cannot be found is not executed. */
function mayStream(documents: Documents, params: Params, { admission }: TransportContext): boolean {
  if (params.documentId === undefined && params.extensions === undefined) {
    return typeof params.query !== 'string' || params.query.includes('subscription');
  }
  try {
    return documents.find(admission, params)?.text.includes('subscription') ?? true;
  } catch {
    return true;
  }
}

async function resultOf(
  yoga: GatewayYoga,
  { params, request, context }: { params: Params } & Omit<Call, 'response'>,
): Promise<ExecutionResult> {
  const { method, headers } = request;
  // The pipeline reads the method and single headers of the request.
  const asked = { method, headers: { get: (name: string) => headers[name] ?? null } } as unknown as Request;
  try {
    const result = await yoga.getResultForParams({ params, request: asked }, context);
    if (isResult(result)) return result;
    throw new Error('An operation without a subscription had no single result.');
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    const cause = error instanceof Error ? error : new Error(String(error));
    return { errors: [new GraphQLError(cause.message, { originalError: cause })] };
  }
}
