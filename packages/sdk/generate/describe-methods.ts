/** Reads the operations of an OpenAPI document as methods of the client. */
import { nameMethod, singular } from './name-method.ts';
import type { OpenApiDocument, Operation, Parameter, Schema } from './openapi-document.ts';
import { printType } from './print-type.ts';

/** `one` is an object, `list` an array, `pages` a paginated list, `none` no value, and `file` the response itself. */
export type Returns = 'one' | 'list' | 'pages' | 'none' | 'file';

/** `file` is sent unchanged, and `body` as JSON. */
export type Argument = { kind: 'body' | 'file' | 'query'; type: string; isRequired: boolean; example: unknown };

export type Method = {
  resource: string;
  name: string;
  httpMethod: string;
  path: string;
  operation: Operation;
  /** Variables in the path, in order, with their parameter names in the method. */
  pathVariables: string[];
  /** The arguments between those of the path and the options, in order. */
  takes: Argument[];
  returns: Returns;
  /** The type of the returned object, or of an item of the returned list. */
  type: string;
  acceptsIdempotencyKey: boolean;
};

/** `declarations` are types without a component in the document, by name. */
export function describeMethods(document: OpenApiDocument): { methods: Method[]; declarations: Map<string, Schema> } {
  const declarations = new Map<string, Schema>();
  const taken = new Set<string>();
  const methods = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([httpMethod, operation]) => {
      const named = nameMethod(operation);
      const name = taken.has(`${named.resource}.${named.method}`) ? operation.operationId : named.method;
      taken.add(`${named.resource}.${name}`);
      return describe({ document, declarations, path, httpMethod, operation, resource: named.resource, name });
    }),
  );
  return { methods, declarations };
}

type Place = {
  document: OpenApiDocument;
  declarations: Map<string, Schema>;
  path: string;
  httpMethod: string;
  operation: Operation;
  resource: string;
  name: string;
};

function describe(place: Place): Method {
  const { document, path, operation, resource, name } = place;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  return {
    resource,
    name,
    httpMethod: place.httpMethod.toUpperCase(),
    path,
    operation,
    pathVariables: [...path.matchAll(/\{(\w+)\}/g)].map(([, variable = '']) => pathVariable(path, variable)),
    takes: argumentsOf(place, parameters),
    ...answerOf(place),
    acceptsIdempotencyKey: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
  };
}

function resolve(document: OpenApiDocument, parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1);
  return name === undefined ? parameter : (document.components.parameters[name] ?? parameter);
}

/** `{id}` is named after the collection before it. */
function pathVariable(path: string, variable: string): string {
  if (variable !== 'id') return variable;
  const segment = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  return segment === 'intents' ? 'paymentIntentId' : `${singular(segment)}Id`;
}

function argumentsOf(place: Place, parameters: Parameter[]): Argument[] {
  return [bodyOf(place), queryOf(place, parameters)].filter((one) => one !== undefined);
}

function bodyOf({ operation, declarations }: Place): Argument | undefined {
  const { content, required: isRequired = false } = operation.requestBody ?? {};
  if (!content) return undefined;
  const body = content['application/json'];
  if (!body?.schema) return { kind: 'file', type: 'Blob', isRequired, example: undefined };
  const type = declared(declarations, body.schema, `${pascal(operation.operationId)}Input`);
  return { kind: 'body', type, isRequired, example: body.example };
}

function queryOf({ operation, declarations }: Place, parameters: Parameter[]): Argument | undefined {
  // The method returns JSON where it is available; otherwise the caller chooses the format.
  const isFile = !jsonOf(operation);
  const query = parameters.filter((one) => one.in === 'query' && (isFile || one.name !== 'format'));
  if (query.length === 0) return undefined;
  const required = query.filter((one) => one.required);
  const properties = Object.fromEntries(
    query.map((one) => [one.name, { ...one.schema, description: one.description }]),
  );
  const schema: Schema = { type: 'object', properties, required: required.map((one) => one.name) };
  const type = declared(declarations, schema, `${pascal(operation.operationId)}Query`);
  const example = Object.fromEntries(required.map((one) => [one.name, sampleOf(one.schema)]));
  return { kind: 'query', type, isRequired: required.length > 0, example };
}

function sampleOf({ examples, enum: values, type }: Schema): unknown {
  return examples?.[0] ?? values?.[0] ?? (type === 'integer' ? 1 : 'example');
}

function answerOf({ operation, declarations }: Place): Pick<Method, 'returns' | 'type'> {
  if (operation.responses['204']) return { returns: 'none', type: 'void' };
  const schema = jsonOf(operation);
  if (!schema) return { returns: 'file', type: 'Response' };
  const data = schema.properties?.data ?? schema;
  if (data.type === 'array' && data.items) {
    const hasPages = schema.properties?.pagination !== undefined || schema.properties?.hasMore !== undefined;
    const type = declared(declarations, data.items, `${pascal(operation.operationId)}Item`);
    return { returns: hasPages ? 'pages' : 'list', type };
  }
  return {
    returns: 'one',
    type: declared(declarations, withItsSecret(operation, data), `${pascal(operation.operationId)}Result`),
  };
}

/** The responses that contain the secret. It is null in every later response, but not nullable in these. */
const secretsByOperation: Record<string, string> = {
  createWebhookEndpoint: 'secret',
  rotateWebhookSecret: 'secret',
  createCheckoutSession: 'clientSecret',
  createSubscriptionCheckout: 'clientSecret',
  startLinkCheckout: 'clientSecret',
};

function withItsSecret({ operationId }: Operation, data: Schema): Schema {
  const name = secretsByOperation[operationId];
  const property = name === undefined ? undefined : data.properties?.[name];
  if (name === undefined || !property) return data;
  return { ...data, properties: { ...data.properties, [name]: { ...property, type: 'string' } } };
}

function jsonOf(operation: Operation): Schema | undefined {
  return (operation.responses['200'] ?? operation.responses['202'])?.content?.['application/json']?.schema;
}

/** Returns the name of a schema: that of its component, or a new one for an inline object. */
function declared(declarations: Map<string, Schema>, schema: Schema, name: string): string {
  if (schema.$ref || !schema.properties) return printType(schema);
  declarations.set(name, schema);
  return name;
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
