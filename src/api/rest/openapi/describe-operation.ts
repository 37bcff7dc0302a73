/** A route as an OpenAPI operation: parameters from its variables, the response from its selection, and errors by kind. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isRequiredInputField,
  Kind,
} from 'graphql';
import { parameterLimits, type RouteVariable, routeVariables } from '../read-variables.ts';
import type { RestRoute } from '../rest-route.ts';
import { callersOf, securityOf } from './callers.ts';
import { asUnion, omitting, propertiesOf } from './change-schema.ts';
import { everyHeader } from './error-responses.ts';
import { exampleOf } from './example.ts';
import { type Components, inputSchema, type JsonSchema, presentInput } from './json-schema.ts';
import { selectionSchema } from './selection-schema.ts';
import { tagOf } from './tag.ts';

export function describeOperation(schema: GraphQLSchema, components: Components, route: RestRoute): JsonSchema {
  const variables = routeVariables(schema, route);
  const field = rootFieldOf(schema, route);
  const body = variables.find((variable) => variable.in === 'body');
  const fields = variables.filter((variable) => variable.in === 'field');
  const parameters = variables
    .filter((variable) => variable.in === 'path' || variable.in === 'query')
    .map((variable) => parameterOf(components, argumentOf(field, rootSelection(route), variable.name), variable));
  const [summary, description] = words(field.description ?? route.operation);
  return {
    operationId: route.operation.charAt(0).toLowerCase() + route.operation.slice(1),
    tags: [tagOf(route.path).name],
    summary,
    description: [description, callersOf(route.access)].filter((part) => part !== '').join('\n\n'),
    security: securityOf(route.access),
    ...(parameters.length + (isRepeatable(route) ? 1 : 0) === 0
      ? {}
      : {
          parameters: [
            ...parameters,
            ...(isRepeatable(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
          ],
        }),
    ...(body ? { requestBody: requestBodyOf(components, body) } : {}),
    ...(fields.length > 0 ? { requestBody: fieldsBodyOf(components, field, fields) } : {}),
    responses: { [route.status]: successOf(schema, components, route), ...errorsOf(route, variables) },
  };
}

function rootFieldOf(schema: GraphQLSchema, route: RestRoute): GraphQLField<unknown, unknown> {
  const selection = rootSelection(route);
  const root = route.kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[selection.name.value];
  if (!field) throw new TypeError(`${route.operation} selects ${selection.name.value}, which is not in the schema.`);
  return field;
}

/** Returns the only root field of a route's document. */
export function rootSelection(route: Pick<RestRoute, 'operation' | 'document'>) {
  for (const definition of route.document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const [only, second] = definition.selectionSet.selections;
    if (only?.kind === Kind.FIELD && !second && only.alias?.value === 'data') return only;
  }
  throw new TypeError(`${route.operation} must select one root field, with the alias data.`);
}

function words(text: string): [summary: string, description: string] {
  const match = /^([\s\S]*?[.:])(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!match) return [text.trim(), ''];
  return [(match[1] ?? '').replace(/[.:]$/, ''), (match[2] ?? '').trim()];
}

type Described = { description?: string | null | undefined; defaultValue?: unknown };

/** Returns the argument that receives a variable, or the field of an input object within it. */
function argumentOf(
  field: GraphQLField<unknown, unknown>,
  selection: FieldNode,
  variable: string,
): Described | undefined {
  const own = field.args.find((held) => held.name === variable);
  if (own) return own;
  for (const { name, value } of selection.arguments ?? []) {
    const type = getNamedType(field.args.find((held) => held.name === name.value)?.type);
    if (value.kind !== Kind.OBJECT || !isInputObjectType(type)) continue;
    const holder = value.fields.find((held) => held.value.kind === Kind.VARIABLE && held.value.name.value === variable);
    if (holder) return type.getFields()[holder.name.value];
  }
  return undefined;
}

function parameterOf(components: Components, argument: Described | undefined, variable: RouteVariable): JsonSchema {
  const fallback = argument?.defaultValue;
  const schema: JsonSchema = {
    ...presentInput(components, variable.type),
    ...(variable.in === 'query' ? parameterLimits[variable.name] : {}),
  };
  return {
    name: variable.name,
    in: variable.in,
    required: variable.in === 'path' || variable.required,
    ...(argument?.description ? { description: argument.description } : {}),
    schema: fallback === undefined || variable.in === 'path' ? schema : { ...schema, default: fallback },
    ...([schema.type].flat().includes('array') ? { style: 'form', explode: false } : {}),
  };
}

function requestBodyOf(components: Components, body: RouteVariable): JsonSchema {
  const schema = presentInput(components, body.type);
  const named = getNamedType(body.type);
  const required = isInputObjectType(named) && Object.values(named.getFields()).some(isRequiredInputField);
  return {
    required,
    content: { 'application/json': { schema, example: exampleOf(components, schema, 'input') } },
  };
}

/** Returns the body of a query that is sent by POST, which consists of its arguments. */
function fieldsBodyOf(
  components: Components,
  field: GraphQLField<unknown, unknown>,
  fields: readonly RouteVariable[],
): JsonSchema {
  const properties = fields.map((variable) => {
    const description = field.args.find((held) => held.name === variable.name)?.description;
    return [variable.name, { ...inputSchema(components, variable.type), ...(description ? { description } : {}) }];
  });
  const required = fields.filter((variable) => variable.required).map((variable) => variable.name);
  const schema = { ...object(Object.fromEntries(properties)), required, additionalProperties: false };
  return {
    required: required.length > 0,
    content: { 'application/json': { schema, example: exampleOf(components, schema, 'input') } },
  };
}

/** Whether the operation accepts an idempotency key. */
function isRepeatable(route: RestRoute): boolean {
  const isPosted = route.method === 'POST' && !unkeyed.has(route.operation);
  return route.kind === 'mutation' && (isPosted || keyedUpdates.has(route.operation));
}

/**
 * Mutations without idempotency keys: a login has no account yet under which its response could be stored, a holder decides only once, and
 * the responses about one-time codes contain secrets that are valid once.
 */
const unkeyed: ReadonlySet<string> = new Set([
  'RequestOtp',
  'VerifyOtp',
  'ConfirmOnetimeRequest',
  'CreateCheckoutCode',
  'ExchangeCheckoutCode',
]);

/** Other updates are idempotent. A change of plan that is repeated after another change would be prorated again. */
const keyedUpdates: ReadonlySet<string> = new Set(['ChangeSubscriptionPlan']);

function successOf(schema: GraphQLSchema, components: Components, route: RestRoute): JsonSchema {
  const replayed = isRepeatable(route)
    ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
    : {};
  const headers = { ...everyHeader, ...replayed };
  if (route.envelope === 'NONE') return { description: 'Successful. The response has no body.', headers };
  const fragments = new Map(
    route.document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const field = rootFieldOf(schema, route);
  const data = selectionSchema(components, fragments, {
    type: field.type,
    selections: rootSelection(route).selectionSet,
  });
  const shown = route.omitted.reduce((held, path) => omitting(components, held, path), data);
  const withUnions = route.unions.reduce((held, union) => asUnion(components, held, union), shown);
  const wrapped = wrap(components, route, withUnions);
  return {
    description: route.status === 202 ? 'Accepted.' : 'Done.',
    headers,
    content: { 'application/json': { schema: wrapped, example: exampleOf(components, wrapped, 'answer') } },
  };
}

function wrap(components: Components, route: RestRoute, data: JsonSchema): JsonSchema {
  if (route.envelope === 'BARE') return data;
  const success = { type: 'boolean', const: true };
  if (route.envelope !== 'PAGE' && route.envelope !== 'EVENTS') return object({ success, data });
  const { items, ...rest } = propertiesOf(components, data);
  if (!items) throw new TypeError(`${route.operation} must select items.`);
  if (route.envelope === 'EVENTS') return object({ success, data: items, ...rest });
  components.set('Pagination', { ...object(rest), description: 'Position of the page in the list.' });
  return object({ success, data: items, pagination: { $ref: '#/components/schemas/Pagination' } });
}

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function errorsOf(route: RestRoute, variables: readonly RouteVariable[]): JsonSchema {
  const isPublic = route.access.includes('public');
  // The options of a session depend on its state, also for reads.
  const writes = route.kind === 'mutation' || route.access.includes('session');
  const statuses = [
    400,
    401,
    ...(isPublic ? [] : [403]),
    ...(variables.length > 0 ? [404] : []),
    ...(writes ? [409] : []),
    // Archived events have expired.
    ...(writes || route.envelope === 'EVENTS' ? [410] : []),
    ...(route.method === 'POST' || route.method === 'PUT' ? [413, 415] : []),
    ...(isRepeatable(route) ? [422] : []),
    429,
    500,
    502,
    503,
  ];
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]));
}
