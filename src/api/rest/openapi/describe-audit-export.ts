import type { JsonSchema } from './json-schema.ts';

/**
 * The operation `GET /audit-log/export`, which has no GraphQL document. It is derived from `GET /audit-log`, with which it shares filters,
 * credentials and errors.
 */
export function describeAuditExport(list: JsonSchema): JsonSchema {
  const filters = [list.parameters].flat().filter((parameter) => !isWindow(parameter));
  const responses = { ...Object(list.responses) };
  const { content: _content, ...done } = Object(responses['200']);
  return {
    operationId: 'exportAuditLog',
    tags: list.tags,
    summary: 'The audit log as a file, oldest entry first',
    description:
      'Streams every entry that matches the filters, up to the newest one when the export begins. A response that ends early is incomplete.',
    security: list.security,
    parameters: [
      {
        name: 'format',
        in: 'query',
        required: false,
        description:
          'CSV (RFC 4180), or newline-delimited JSON, with one entry on each line in the form of `GET /audit-log`.',
        schema: { type: 'string', enum: ['csv', 'ndjson'], default: 'ndjson' },
      },
      ...filters,
    ],
    responses: {
      ...responses,
      200: {
        ...done,
        content: {
          'text/csv': { schema: { type: 'string' } },
          'application/x-ndjson': { schema: { type: 'string' } },
        },
      },
    },
  };
}

function isWindow(parameter: unknown): boolean {
  return ['cursor', 'limit'].includes(String(Object(parameter).name));
}
