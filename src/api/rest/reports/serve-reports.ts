/**
 * `GET /reports/<name>`: a report about one app and one period as a file. It is streamed, so that memory does not depend on its length,
 * and needs what the query `overview` needs. A report that breaks off before its end is not whole.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GraphQLID, GraphQLString, isScalarType } from 'graphql';
import { GatewayError, invalid } from '../../../errors.ts';
import type { Period } from '../../../payments/reports/report.ts';
import { nameRoute } from '../../../platform/http-call.ts';
import { endWhenUnread } from '../../end-when-unread.ts';
import type { Admission, Gate } from '../../gate.ts';
import { schema } from '../../graphql/schema.ts';
import { accessNeeded, demandFieldAccess } from '../../graphql/server/access/root-access.ts';
import { contextOf } from '../../graphql/server/context.ts';
import { faultFacts, gatewayErrorOf, noteUnavailable } from '../../graphql/server/fault.ts';
import { appScopeOf } from '../../graphql/server/scope-of.ts';
import type { World } from '../../graphql/server/world.ts';
import type { HttpHandler } from '../../start-api.ts';
import { printError } from '../print-error.ts';
import { type RouteVariable, readVariables } from '../read-variables.ts';
import { type Format, type Report, reports } from './report-table.ts';

const FIELD = 'overview';
const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
export const SPAN_DAYS = 366;

const PATH = /^\/reports\/([a-z]+)$/;

const files: { [Each in Format]: { contentType: string; extension: string } } = {
  json: { contentType: 'application/json; charset=utf-8', extension: 'json' },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  hledger: { contentType: 'text/plain; charset=utf-8', extension: 'journal' },
  beancount: { contentType: 'text/plain; charset=utf-8', extension: 'beancount' },
};

const parameters: readonly RouteVariable[] = [
  { name: 'format', type: GraphQLString, in: 'query', required: false },
  { name: 'from', type: instant(), in: 'query', required: false },
  { name: 'to', type: instant(), in: 'query', required: false },
  { name: 'appId', type: GraphQLID, in: 'query', required: false },
];

export function serveReports(world: World, gate: Gate): HttpHandler {
  return async (request, response) => {
    // Not parsed as a URL, because a target such as `//` is not one, and other handlers respond to it.
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const name = PATH.exec(path)?.[1] ?? '';
    const report = reports.get(name);
    if (!report) return false;
    nameRoute(response, path);
    const { method = 'GET', headers, socket } = request;
    const admission = await gate.admit({ method, headers, remoteAddress: socket.remoteAddress, stays: true });
    for (const [header, value] of Object.entries(admission.headers)) response.setHeader(header, value);
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      if (method !== 'GET' && method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        throw new GatewayError('METHOD_NOT_ALLOWED', 'This path takes GET, HEAD.');
      }
      const asked = { name, report, query: new URLSearchParams(search), isHead: method === 'HEAD' };
      await answer(world, { admission, ...asked }, response);
    } catch (error) {
      const fault = gatewayErrorOf(error);
      if (fault) noteUnavailable(faultFacts(world, admission.requestId), fault);
      else world.log.error({ requestId: admission.requestId, err: error }, 'A report failed.');
      fail(response, fault ?? new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.'), {
        requestId: admission.requestId,
        path,
        accept: headers.accept,
      });
    }
    return true;
  };
}

async function answer(
  world: World,
  asked: { admission: Admission; name: string; report: Report; query: URLSearchParams; isHead: boolean },
  response: ServerResponse,
): Promise<void> {
  const { admission, name, report, query, isHead } = asked;
  if (admission.refusal !== undefined) throw admission.refusal;
  const root = schema.getQueryType();
  const needed = (root && accessNeeded(root, FIELD)) ?? [];
  demandFieldAccess({ principal: admission.principal, config: world.config }, { name: FIELD, needed });
  const { format, period, appId } = readRequest(world, report, query);
  const context = contextOf(world, admission.principal, admission);
  const scope = await appScopeOf(context, { appId });
  const { contentType, extension } = files[format];
  const days = [period.from, period.to].map((time) => time.toISOString().slice(0, 10));
  response.writeHead(200, {
    'content-type': contentType,
    'content-disposition': `attachment; filename="${name}-${days.join('-')}.${extension}"`,
  });
  if (isHead) return void response.end();
  endWhenUnread(response);
  const { database, registry } = world;
  const text = report.print(format)({ database, registry, scoped: context.database }, { scope, period });
  await pipeline(Readable.from(text), response).catch((error: unknown) => {
    // A client that disconnects during the report is not an error.
    if (!isPrematureClose(error)) throw error;
  });
}

/** Throws a VALIDATION_ERROR that lists all invalid parameters. */
function readRequest(
  world: World,
  report: Report,
  query: URLSearchParams,
): { format: Format; period: Period; appId: string | undefined } {
  const { variables, faults } = readVariables(parameters, { path: {}, query, body: undefined });
  const { format: given = report.formats[0], appId } = variables;
  const format = report.formats.find((each) => each === given);
  if (!format) faults.push({ param: 'format', message: `must be ${report.formats.join(' or ')}` });
  if (faults.length > 0) throw invalid(faults);
  const to = variables.to === undefined ? world.clock.now() : new Date(String(variables.to));
  const from =
    variables.from === undefined ? new Date(to.getTime() - DEFAULT_SPAN_MS) : new Date(String(variables.from));
  if (from >= to) faults.push({ param: 'to', message: 'must be later than from' });
  if (to.getTime() - from.getTime() > SPAN_DAYS * DAY_MS) {
    faults.push({ param: 'to', message: `must be at most ${SPAN_DAYS} days after from` });
  }
  if (!format || faults.length > 0) throw invalid(faults);
  return { format, period: { from, to }, appId: appId === undefined ? undefined : String(appId) };
}

/** Aborts the connection if the response has begun, so that no client mistakes a part for the whole report. */
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

function instant() {
  const type = schema.getType('DateTime');
  if (!isScalarType(type)) throw new TypeError('The schema has no DateTime.');
  return type;
}
