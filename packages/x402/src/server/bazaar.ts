/** The bazaar extension of x402: a machine-readable description of a paid route, made of the middleware's own configuration. */
import type { PaidCall } from './paid-call.ts';
import type { Discovery } from './pay-options.ts';

const BODY_METHODS = ['POST', 'PUT', 'PATCH'];
const QUERY_METHODS = ['GET', 'HEAD', 'DELETE'];
const JSON_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';
/** What catalogues accept as a template: segments with `:name`, and no patterns. */
const ROUTE_TEMPLATE = /^\/[A-Za-z0-9_:/.\-~%]*$/;

export type Extensions = { bazaar?: { info: unknown; schema: unknown; routeTemplate?: string } };

export function describeRoute(call: PaidCall, discovery: Discovery): Extensions {
  const method = call.method.toUpperCase();
  const hasBody = BODY_METHODS.includes(method);
  if (!hasBody && !QUERY_METHODS.includes(method)) return {};
  const { routeTemplate } = call;
  const isTemplate =
    routeTemplate?.includes('/:') && ROUTE_TEMPLATE.test(routeTemplate) && !routeTemplate.includes('..');
  return {
    bazaar: {
      info: {
        input: hasBody
          ? { type: 'http', method, bodyType: discovery.bodyType ?? 'json', body: discovery.input ?? {} }
          : { type: 'http', method, ...(discovery.input ? { queryParams: discovery.input } : {}) },
        ...outputInfo(discovery),
      },
      schema: schemaOf(hasBody ? bodyInput(discovery) : queryInput(discovery), discovery),
      ...(isTemplate && routeTemplate ? { routeTemplate } : {}),
    },
  };
}

export type ToolDescription = { toolName: string; description?: string; inputSchema: Record<string, unknown> };

export function describeTool(tool: ToolDescription, discovery: Discovery): Extensions {
  const input = {
    properties: {
      type: { type: 'string', const: 'mcp' },
      toolName: { type: 'string' },
      description: { type: 'string' },
      inputSchema: { type: 'object' },
      ...(discovery.input ? { example: { type: 'object' } } : {}),
    },
    required: ['type', 'toolName', 'inputSchema'],
  };
  const example = discovery.input ? { example: discovery.input } : {};
  return {
    bazaar: {
      info: { input: { type: 'mcp', ...tool, ...example }, ...outputInfo(discovery) },
      schema: schemaOf(input, discovery),
    },
  };
}

function outputInfo({ output }: Discovery) {
  return output?.example === undefined ? {} : { output: { type: 'json', example: output.example } };
}

function queryInput({ inputSchema }: Discovery) {
  return {
    properties: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: QUERY_METHODS },
      queryParams: { type: 'object', ...inputSchema },
    },
    required: ['type', 'method'],
  };
}

function bodyInput({ inputSchema }: Discovery) {
  return {
    properties: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: BODY_METHODS },
      bodyType: { type: 'string', enum: ['json', 'form-data', 'text'] },
      body: { type: 'object', ...inputSchema },
    },
    required: ['type', 'method', 'bodyType', 'body'],
  };
}

function schemaOf(input: { properties: object; required: string[] }, { output }: Discovery) {
  const example = { ...(output?.schema ?? {}) };
  return {
    $schema: JSON_SCHEMA,
    type: 'object',
    properties: {
      input: { type: 'object', ...input, additionalProperties: false },
      ...(output?.example === undefined
        ? {}
        : { output: { type: 'object', properties: { type: { type: 'string' }, example }, required: ['type'] } }),
    },
    required: ['input'],
  };
}
