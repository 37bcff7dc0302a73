/**
 * `GET /audit-log/export`: the audit log as a CSV or newline-delimited JSON file, oldest entry first. It has the filters and the allowed
 * callers of `GET /audit-log`. The file ends with the newest entry at the time when the export begins.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { coerceInputValue, type GraphQLInputObjectType, GraphQLString, isInputObjectType } from 'graphql';
import type { AuditEntry, Prisma } from '../../../prisma/client.ts';
import { type AuditFilter, auditConditions, auditFilterSchema } from '../../auth/audit/audit-filter.ts';
import { type ExportFormat, exportFormats, exportHead, printEntries } from '../../auth/audit/print-entries.ts';
import type { ScopedDatabase } from '../../auth/scoped-database.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { endWhenUnread } from '../end-when-unread.ts';
import type { Admission, Gate } from '../gate.ts';
import { schema } from '../graphql/schema.ts';
import { accessNeeded, demandFieldAccess } from '../graphql/server/access/root-access.ts';
import { contextOf, type GraphqlContext } from '../graphql/server/context.ts';
import { faultFacts, gatewayErrorOf, noteUnavailable } from '../graphql/server/fault.ts';
import { checked, defineRules } from '../graphql/server/input.ts';
import { scopeOf } from '../graphql/server/scope-of.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { printError } from './print-error.ts';
import { type RouteVariable, readVariables } from './read-variables.ts';

export const auditExportPath = '/audit-log/export';

const FIELD = 'auditLog';
/** Number of entries that are read at a time, so that memory does not depend on the length of an export. */
const PAGE = 200;

const contentTypes: { [Format in ExportFormat]: string } = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const rules = defineRules({ schema: auditFilterSchema });
const filterType = namedInput('AuditLogFilter');
const parameters: readonly RouteVariable[] = [
  { name: 'format', type: GraphQLString, in: 'query', required: false },
  ...Object.values(filterType.getFields()).map(
    ({ name, type }) => ({ name, type, in: 'query', required: false }) satisfies RouteVariable,
  ),
];

export function serveAuditExport(world: World, gate: Gate): HttpHandler {
  return async (request, response) => {
    // Not parsed as a URL, because a target such as `//` is not one, and other handlers respond to it.
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    if (path !== auditExportPath) return false;
    nameRoute(response, auditExportPath);
    const { method = 'GET', headers, socket } = request;
    const admission = await gate.admit({ method, headers, remoteAddress: socket.remoteAddress, stays: true });
    for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      if (method !== 'GET' && method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        throw new GatewayError('METHOD_NOT_ALLOWED', 'This path takes GET, HEAD.');
      }
      await answer(world, { admission, query: new URLSearchParams(search), isHead: method === 'HEAD' }, response);
    } catch (error) {
      const fault = gatewayErrorOf(error);
      if (fault) noteUnavailable(faultFacts(world, admission.requestId), fault);
      else world.log.error({ requestId: admission.requestId, err: error }, 'An export of the audit log failed.');
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
  { admission, query, isHead }: { admission: Admission; query: URLSearchParams; isHead: boolean },
  response: ServerResponse,
): Promise<void> {
  if (admission.refusal !== undefined) throw admission.refusal;
  const root = schema.getQueryType();
  const needed = (root && accessNeeded(root, FIELD)) ?? [];
  demandFieldAccess({ principal: admission.principal, config: world.config }, { name: FIELD, needed });
  const context = contextOf(world, admission.principal, admission);
  const { format, filter } = readRequest(context, query);
  const { merchantId, appId } = await scopeOf(context, { appId: filter.appId });
  const where = { merchantId, ...(appId === null ? {} : { appId }), ...auditConditions(filter) };
  response.writeHead(200, {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="audit-log.${format}"`,
  });
  if (isHead) return void response.end();
  endWhenUnread(response);
  await pipeline(Readable.from(exportText(context.database, { where, format })), response).catch((error: unknown) => {
    // A client that disconnects during the export is not an error.
    if (!isPrematureClose(error)) throw error;
  });
}

/** Throws a VALIDATION_ERROR that lists all invalid parameters. */
function readRequest(context: GraphqlContext, query: URLSearchParams): { format: ExportFormat; filter: AuditFilter } {
  const { variables, faults } = readVariables(parameters, { path: {}, query, body: undefined });
  const { format: given = 'ndjson', ...conditions } = variables;
  const format = exportFormats.find((each) => each === given);
  if (!format) faults.push({ param: 'format', message: `must be ${exportFormats.join(' or ')}` });
  if (!format || faults.length > 0) throw invalid(faults);
  return { format, filter: checked(context, rules, coerceInputValue(conditions, filterType)) };
}

async function* exportText(
  database: ScopedDatabase,
  { where, format }: { where: Prisma.AuditEntryWhereInput; format: ExportFormat },
): AsyncGenerator<string> {
  yield exportHead(format);
  const newest = await database.auditEntry.findFirst({ where, orderBy: { id: 'desc' }, select: { id: true } });
  if (!newest) return;
  let last: string | undefined;
  while (last !== newest.id) {
    const id: Prisma.UuidFilter = { lte: newest.id, ...(last === undefined ? {} : { gt: last }) };
    const page: AuditEntry[] = await database.auditEntry.findMany({
      where: { AND: [where, { id }] },
      orderBy: { id: 'asc' },
      take: PAGE,
    });
    last = page.at(-1)?.id ?? newest.id;
    yield printEntries(format, page);
  }
}

/** Aborts the connection if the response has begun, so that no client mistakes a part for the whole file. */
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

function namedInput(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new TypeError(`The schema has no input ${name}.`);
  return type;
}
