/**
 * `GET /reports/<name>`: a report about one app and one period as a file. It is streamed, so that memory does not depend on its length,
 * and needs what the query `overview` needs. A report whose connection breaks off is incomplete.
 */
import { GraphQLID, GraphQLString, isScalarType } from 'graphql';
import { invalid } from '../../../errors.ts';
import type { Period } from '../../../payments/reports/report.ts';
import type { Gate } from '../../gate.ts';
import { schema } from '../../graphql/schema.ts';
import { appScopeOf } from '../../graphql/server/scope-of.ts';
import type { World } from '../../graphql/server/world.ts';
import type { HttpHandler } from '../../start-api.ts';
import { type RouteVariable, readVariables } from '../read-variables.ts';
import { serveFile } from '../serve-file.ts';
import { type Format, type Report, reports } from './report-table.ts';

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
  return serveFile(world, gate, {
    find(path) {
      const name = PATH.exec(path)?.[1] ?? '';
      const report = reports.get(name);
      return report ? { name, report } : null;
    },
    field: 'overview',
    async open({ name, report }, { context, query }) {
      const { format, period, appId } = readRequest(world, report, query);
      const scope = await appScopeOf(context, { appId });
      const { database, registry } = world;
      const text = report.print(format)({ database, registry, scoped: context.database }, { scope, period });
      const { contentType, extension } = files[format];
      const days = [period.from, period.to].map((time) => time.toISOString().slice(0, 10));
      return { contentType, name: `${name}-${days.join('-')}.${extension}`, text };
    },
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

function instant() {
  const type = schema.getType('DateTime');
  if (!isScalarType(type)) throw new TypeError('The schema has no DateTime.');
  return type;
}
