/**
 * Streams files that clients download, so that memory does not depend on their length. If a file cannot be completed, its
 * connection is aborted, so that no client mistakes a part for the whole file.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '../../errors.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { endWhenUnread } from '../end-when-unread.ts';
import type { Gate } from '../gate.ts';
import { schema } from '../graphql/schema.ts';
import { accessNeeded, requireFieldAccess } from '../graphql/server/access/root-access.ts';
import { contextOf, type GraphqlContext } from '../graphql/server/context.ts';
import { faultFacts, gatewayErrorOf, noteUnavailable } from '../graphql/server/fault.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { printError } from './print-error.ts';

/** `text` is not read faster than the client reads the response. */
export type ServedFile = {
  contentType: string;
  name: string;
  text: AsyncIterable<string | Uint8Array>;
  /** Length of the text, if it is known before the text is read. */
  sizeBytes?: number;
  headers?: Record<string, string>;
};

type FileRoute<Found> = {
  /** Returns the file that is served at a path, or null if the path is not one of a file. */
  find(path: string): Found | null;
  /** The field of `Query` whose access a caller needs. */
  field: string;
  /** The path with placeholders, if it has variables. */
  route?: string;
  /** Reads the request, and throws a VALIDATION_ERROR that lists all invalid parameters. Called only with the access to the field. */
  open(found: Found, request: { context: GraphqlContext; query: URLSearchParams }): Promise<ServedFile>;
};

/** Serves GET and HEAD of files. Any other method throws METHOD_NOT_ALLOWED. */
export function serveFile<Found>(world: World, gate: Gate, route: FileRoute<Found>): HttpHandler {
  return async (request, response) => {
    // The target is not parsed as a URL, because one such as `//` is not a URL, and other handlers respond to it.
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const found = route.find(path);
    if (found === null) return false;
    nameRoute(response, route.route ?? path);
    const { method = 'GET', headers, socket } = request;
    const admission = await gate.admit({ method, headers, remoteAddress: socket.remoteAddress, stays: true });
    for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      if (method !== 'GET' && method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        throw new GatewayError('METHOD_NOT_ALLOWED', 'This path accepts GET and HEAD.');
      }
      if (admission.refusal !== undefined) throw admission.refusal;
      requireAccess(world, route.field, admission.principal);
      const context = contextOf(world, admission.principal, admission);
      const file = await route.open(found, { context, query: new URLSearchParams(search) });
      await send(response, file, { isHead: method === 'HEAD' });
    } catch (error) {
      const { requestId } = admission;
      const fault = gatewayErrorOf(error);
      if (fault) noteUnavailable(faultFacts(world, requestId), fault);
      else world.log.error({ requestId, path, err: error }, 'A file could not be served.');
      const reported = fault ?? new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.');
      fail(response, reported, { requestId, path, accept: headers.accept });
    }
    return true;
  };
}

/** Throws AUTHENTICATION_ERROR or AUTHORIZATION_ERROR for a caller without access to the field of `Query`. */
function requireAccess(world: World, field: string, principal: GraphqlContext['principal']): void {
  const root = schema.getQueryType();
  const needed = (root && accessNeeded(root, field)) ?? [];
  requireFieldAccess({ principal, config: world.config }, { name: field, needed });
}

async function send(
  response: ServerResponse,
  { contentType, name, text, sizeBytes, headers = {} }: ServedFile,
  { isHead }: { isHead: boolean },
): Promise<void> {
  response.writeHead(200, {
    'content-type': contentType,
    'content-disposition': contentDisposition(name),
    ...(sizeBytes === undefined ? {} : { 'content-length': sizeBytes }),
    ...headers,
  });
  if (isHead) return void response.end();
  endWhenUnread(response);
  await pipeline(Readable.from(text), response).catch((error: unknown) => {
    // A client that disconnects before the end is not an error.
    if (!isPrematureClose(error)) throw error;
  });
}

/** Returns the value of Content-Disposition (RFC 6266) that saves a response under a name without control characters or quotes. */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '_');
  if (plain === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function fail(
  response: ServerResponse,
  fault: GatewayError,
  call: { requestId: string; path: string; accept: string | undefined },
): void {
  if (response.headersSent) return void response.destroy();
  const printed = printError(fault, call);
  response.writeHead(printed.status, { ...printed.headers, 'content-type': printed.contentType });
  response.end(printed.body);
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
