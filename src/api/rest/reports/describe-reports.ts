import type { Cell, Column, ColumnType } from '../../../payments/reports/report.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { tagOf } from '../openapi/tag.ts';
import { type Report, reports } from './report-table.ts';
import { SPAN_DAYS } from './serve-reports.ts';

const reportsTag = tagOf('/reports');

/**
 * The operations `GET /reports/…`, which have no GraphQL document. Credentials and errors are those of `GET /audit-log`, and the columns
 * those of the reports.
 */
export function describeReports(list: JsonSchema): { [path: string]: { get: JsonSchema } } {
  return Object.fromEntries(
    [...reports].map(([name, report]) => [`/reports/${name}`, { get: describeReport(list, name, report) }]),
  );
}

function describeReport(list: JsonSchema, name: string, { summary, columns, formats }: Report): JsonSchema {
  const responses = { ...Object(list.responses) };
  const { content: _content, ...done } = Object(responses['200']);
  return {
    operationId: `read${name.charAt(0).toUpperCase()}${name.slice(1)}Report`,
    tags: [reportsTag.name],
    summary,
    description:
      'Streams the report of one app. A response that ends early is incomplete. Export only periods that have ended.',
    security: list.security,
    parameters: [
      parameter('format', 'The format of the file.', { type: 'string', enum: [...formats], default: formats[0] }),
      parameter('from', 'Start of the period, inclusive. Defaults to 30 days before `to`.', instant),
      parameter(
        'to',
        `End of the period, exclusive, and at most ${SPAN_DAYS} days after \`from\`. Defaults to now.`,
        instant,
      ),
      parameter('appId', 'The app. Optional for a key, which belongs to one app. Required for members.', {
        type: 'string',
        format: 'uuid',
      }),
    ],
    responses: { ...responses, 200: { ...done, content: contentOf(columns) } },
  };
}

const instant = { type: 'string', format: 'date-time' };

function parameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', required: false, description, schema };
}

function contentOf(columns: readonly Column[] | null): JsonSchema {
  if (!columns) return { 'text/plain': { schema: { type: 'string' } } };
  const row = {
    type: 'object',
    properties: Object.fromEntries(
      columns.map(({ name, type, description }) => [name, { ...types[type], description }]),
    ),
    required: columns.map(({ name }) => name),
  };
  const schema = {
    type: 'object',
    properties: { success: { type: 'boolean', const: true }, data: { type: 'array', items: row } },
    required: ['success', 'data'],
  };
  const example = {
    success: true,
    data: [Object.fromEntries(columns.map((column) => [column.name, exampleOf(column)]))],
  };
  return { 'application/json': { schema, example }, 'text/csv': { schema: { type: 'string' } } };
}

const types: { [Type in ColumnType]: JsonSchema } = {
  amount: { type: ['string', 'null'] },
  id: { type: 'string', format: 'uuid' },
  integer: { type: ['integer', 'null'] },
  text: { type: ['string', 'null'] },
  time: { type: ['string', 'null'], format: 'date-time' },
};

/** The example of a column is that of the first pattern that matches its name. */
const examples: readonly [name: RegExp, value: Cell][] = [
  [/_id$/, '01980000-0001-7000-8000-000000000001'],
  [/_bps$/, 100],
  [/_count$/, 0],
  [/_base_units$/, '10000000'],
  [/_fiat$/, '10.00'],
  [/_usd$/, '0.0812'],
  [/_coin$/, '0.00003'],
  [/^returned_tokens$|undelivered_tokens$/, '0'],
  [/_tokens$/, '10'],
  [/_at$|_time$/, '2026-03-01T12:00:00.000Z'],
  [/tx_hash/, `0x${'5d'.repeat(32)}`],
  [/_address$/, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
];
const namedExamples: { [name: string]: Cell } = {
  chain_id: 8453,
  token_key: 'USDC-8453',
  external_id: 'order 1042',
  status: 'SETTLED',
  currency: 'USD',
  gas_coin: 'ETH',
  exchange_rate_tokens_per_usd: '1',
  type: 'SETTLE',
  recipient_role: 'MERCHANT',
  row: 'TRANSFER',
  day: '2026-03-01',
  month: '2026-03',
  settled_count: 1,
  payment_intent_ids: '01980000-0001-7000-8000-000000000001',
  block_number: 24_000_000,
  log_index: 12,
  transfer_count: null,
  opening_base_units: null,
  closing_base_units: null,
  booked_base_units: null,
  opening_tokens: null,
  closing_tokens: null,
};

function exampleOf({ name }: Column): Cell {
  return namedExamples[name] ?? examples.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
