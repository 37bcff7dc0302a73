/** Validates responses against the published OpenAPI documents. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Schema = Record<string, unknown>;
type Operation = { responses: Record<string, Schema> };
type Described = { pattern: RegExp; path: string; methods: Record<string, Operation> };

const files = ['payments.json', 'card.json'];
const documents = files.map((file) =>
  JSON.parse(readFileSync(new URL(`../../../schema/openapi/${file}`, import.meta.url), 'utf8')),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const described: Described[] = documents.flatMap((document, index) => {
  ajv.addSchema(closed({ ...document, $id: files[index] }));
  return Object.entries<Record<string, Operation>>(document.paths).map(([path, methods]) => ({
    path,
    methods,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
});
/** An error where `Accept` asks for a problem: the same fields in the form of RFC 9457. */
const { message, ...errorFields } = documents[0].components.schemas.Error.properties.error.properties;
ajv.addSchema({
  $id: 'problem.json',
  type: 'object',
  properties: {
    ...errorFields,
    details: { type: 'array', items: { $ref: 'payments.json#/components/schemas/FieldFault' } },
    type: { type: 'string', pattern: '^urn:sluice:error:[a-z_]+$' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: message,
    instance: { type: 'string' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  additionalProperties: false,
});
/** Any request may be refused because of its headers, before its operation is known. */
const HEAD_STATUSES = new Set([408, 431]);
const validators = new Map<string, ValidateFunction>();

/** Throws if a response does not match the document. A path that is not in it must return an error. */
export function checkAnswer(answer: { method: string; path: string; response: Response; text: string }): void {
  const { method, path, response, text } = answer;
  if (!response.headers.get('x-request-id')) throw new Error(`${method} ${path} carries no x-request-id.`);
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const entry = described.filter((held) => held.pattern.test(path)).sort(fewestVariables)[0];
  const operation = entry?.methods[method.toLowerCase()];
  if (!entry || !operation) {
    if (response.status >= 400) requireMatch('payments.json#/components/schemas/Error', type, text, answer);
    return;
  }
  const place = `#/paths/${pointer(entry.path)}/${method.toLowerCase()}/responses/${response.status}`;
  const declared = operation.responses[String(response.status)];
  if (!declared && HEAD_STATUSES.has(response.status)) {
    requireMatch('payments.json#/components/schemas/Error', type, text, answer);
    return;
  }
  if (!declared)
    throw new Error(`${method} ${entry.path} answers ${response.status}, which its description does not list: ${text}`);
  if (response.status >= 400) {
    requireMatch('payments.json#/components/schemas/Error', type, text, answer);
    return;
  }
  if (!('content' in declared)) {
    if (text !== '') throw new Error(`${method} ${path} answers a body where none is described.`);
    return;
  }
  const file = files[documents.findIndex((document) => entry.path in document.paths)] ?? '';
  requireMatch(`${file}${place}/content/application~1json/schema`, type, text, answer);
}

function requireMatch(
  reference: string,
  type: string,
  text: string,
  { method, path, response }: { method: string; path: string; response: Response },
): void {
  const isProblem = type === 'application/problem+json';
  const wanted = isProblem ? 'problem.json' : reference;
  if (!isProblem && type !== 'application/json') throw new Error(`${method} ${path} answers ${type}.`);
  const validate = validators.get(wanted) ?? ajv.compile({ $ref: wanted });
  validators.set(wanted, validate);
  if (validate(JSON.parse(text))) return;
  const faults = ajv.errorsText(validate.errors, { separator: '\n' });
  throw new Error(`${method} ${path} (${response.status}) is not as described:\n${faults}\n${text.slice(0, 2000)}`);
}

/** Objects with named properties accept no others. */
function closed(value: unknown): Schema {
  const walk = (held: unknown): unknown => {
    if (Array.isArray(held)) return held.map(walk);
    if (typeof held !== 'object' || held === null) return held;
    const walked = Object.fromEntries(Object.entries(held).map(([name, inner]) => [name, walk(inner)]));
    const isObject =
      [walked.type].flat().includes('object') && 'properties' in walked && !('additionalProperties' in walked);
    return isObject ? { ...walked, additionalProperties: false } : walked;
  };
  return Object(walk(value));
}

function fewestVariables(left: Described, right: Described): number {
  return left.path.split('{').length - right.path.split('{').length;
}

function pointer(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}
