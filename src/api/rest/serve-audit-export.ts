/**
 * `GET /audit-log/export`: the audit log as a CSV or newline-delimited JSON file, oldest entry first. It has the filters and the allowed
 * callers of `GET /audit-log`. The file ends with the newest entry at the time when the export begins.
 */
import { coerceInputValue, type GraphQLInputObjectType, GraphQLString, isInputObjectType } from 'graphql';
import type { AuditEntry, Prisma } from '../../../prisma/client.ts';
import { type AuditFilter, auditConditions, auditFilterSchema } from '../../auth/audit/audit-filter.ts';
import { type ExportFormat, exportFormats, exportHead, printEntries } from '../../auth/audit/print-entries.ts';
import type { ScopedDatabase } from '../../auth/scoped-database.ts';
import { invalid } from '../../errors.ts';
import type { Gate } from '../gate.ts';
import { schema } from '../graphql/schema.ts';
import type { GraphqlContext } from '../graphql/server/context.ts';
import { checked, defineRules } from '../graphql/server/input.ts';
import { scopeOf } from '../graphql/server/scope-of.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { type RouteVariable, readVariables } from './read-variables.ts';
import { serveFile } from './serve-file.ts';

export const auditExportPath = '/audit-log/export';

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
  return serveFile(world, gate, {
    find: (path) => (path === auditExportPath ? auditExportPath : null),
    field: 'auditLog',
    async open(_path, { context, query }) {
      const { format, filter } = readRequest(context, query);
      const { merchantId, appId } = await scopeOf(context, { appId: filter.appId });
      const where = { merchantId, ...(appId === null ? {} : { appId }), ...auditConditions(filter) };
      const text = exportText(context.database, { where, format });
      return { contentType: contentTypes[format], name: `audit-log.${format}`, text };
    },
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

function namedInput(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new TypeError(`The schema has no input ${name}.`);
  return type;
}
