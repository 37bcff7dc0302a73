/** What all operations share: the responses of the error catalog, and the headers. */
import { type ErrorCode, errorCatalogue } from '../../../errors.ts';
import type { JsonSchema } from './json-schema.ts';

const exampleRequestId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b12';
/** The codes of REST errors: all codes whose status is that of an error. */
const codes = Object.keys(errorCatalogue)
  .filter((code): code is ErrorCode => code in errorCatalogue)
  .filter((code) => errorCatalogue[code].status >= 400);

export const errorStatuses = [...new Set(codes.map((code) => errorCatalogue[code].status))].sort((a, b) => a - b);

const fieldFault: JsonSchema = {
  type: 'object',
  description: 'An invalid field.',
  properties: { param: { type: 'string' }, message: { type: 'string' } },
  required: ['param', 'message'],
};

const errorFields: Record<string, JsonSchema> = {
  code: {
    type: 'string',
    enum: codes,
    description: 'Machine-readable code. Codes are stable: none is renamed or reused.',
  },
  param: { type: 'string', description: 'The invalid field, if there is exactly one.' },
  details: {
    type: 'array',
    items: { $ref: '#/components/schemas/FieldFault' },
    description: 'All invalid fields.',
  },
  requestId: { type: 'string', description: 'ID of the request, which is also in the header x-request-id.' },
  message: { type: 'string', description: 'Human-readable message.' },
};

export const errorSchemas: Record<string, JsonSchema> = {
  FieldFault: fieldFault,
  Error: {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'object',
        properties: errorFields,
        required: ['code', 'message', 'requestId'],
      },
    },
    required: ['success', 'error'],
  },
};

export const headers: Record<string, JsonSchema> = {
  RequestId: { description: 'Identifies the request in logs. The caller can choose it.', schema: { type: 'string' } },
  RateLimit: {
    description: 'Remaining calls (`r`), and seconds until the limit is fully restored (`t`).',
    schema: { type: 'string' },
  },
  RateLimitPolicy: { description: 'The rate limit: `q` calls per `w` seconds.', schema: { type: 'string' } },
  RetryAfter: { description: 'Number of seconds after which to retry.', schema: { type: 'integer' } },
  IdempotentReplayed: {
    description: '`true` if this repeats the first response to the idempotency key.',
    schema: { type: 'string', const: 'true' },
  },
};

export const everyHeader = {
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

/**
 * This is part of the document's description instead of a media type of each error. Generated clients would otherwise type every error as
 * either format, although only clients that request a problem receive one.
 */
export const problemWords =
  'If `Accept` requests `application/problem+json`, an error is returned as a problem (RFC 9457): `type`, `title`, `status`, `detail` (the message) and `instance`, together with `code`, `param`, `details` and `requestId`.';

/** Returns the responses by their names, `Error<status>`. */
export function errorResponses(): Record<string, JsonSchema> {
  return Object.fromEntries(errorStatuses.map((status) => [`Error${status}`, errorResponse(status)]));
}

function errorResponse(status: number): JsonSchema {
  const here = codes.filter((code) => errorCatalogue[code].status === status);
  const exampleOf = (code: ErrorCode) => ({
    success: false,
    error: { code, message: `${errorCatalogue[code].title}.`, requestId: exampleRequestId },
  });
  return {
    description: here.map((code) => `\`${code}\`: ${errorCatalogue[code].title}.`).join(' '),
    headers: {
      ...everyHeader,
      ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(here.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}
