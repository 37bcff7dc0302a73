import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { FieldFault } from '../../errors.ts';
import { canonicalId } from '../../platform/identifier.ts';
import { LIST_LIMIT } from '../graphql/server/limits.ts';
import { inputFaults } from './input-faults.ts';
import { BODY_VARIABLE, pathVariables, type RestRoute } from './rest-route.ts';

/** A variable of a route's document, and its location in a request. */
export type RouteVariable = {
  name: string;
  type: GraphQLInputType;
  /** `body` is the whole body, `field` one of its fields. */
  in: 'path' | 'query' | 'body' | 'field';
  /** Whether it must be given, because it is not nullable and has no default. */
  required: boolean;
};

export type RequestValues = {
  path: Record<string, string | undefined>;
  query: URLSearchParams;
  body: Record<string, unknown> | undefined;
};

/** Returns the variables of a route with their types in the schema. Throws if the document does not match the schema. */
export function routeVariables(
  schema: GraphQLSchema,
  route: Pick<RestRoute, 'method' | 'kind' | 'path' | 'document'>,
): RouteVariable[] {
  const operation = route.document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const inPath = new Set(pathVariables(route.path));
  // A query has arguments instead of one input object. If it is sent by POST, they are the fields of the body.
  const elsewhere = route.method === 'POST' && route.kind === 'query' ? 'field' : 'query';
  return (operation?.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) throw new TypeError(`$${name} of ${operation?.name?.value} has no type in the schema.`);
    return {
      name,
      type,
      in: inPath.has(name) ? 'path' : name === BODY_VARIABLE ? 'body' : elsewhere,
      required: isNonNullType(type) && definition.defaultValue === undefined,
    };
  });
}

/**
 * Returns the variables of a request with all faults of their types. Absent fields stay absent and null stays null, so that updates can
 * distinguish them. An empty body is read as `{}` if the body may be empty.
 */
export function readVariables(
  variables: readonly RouteVariable[],
  values: RequestValues,
): { variables: Record<string, unknown>; faults: FieldFault[] } {
  const read: Record<string, unknown> = {};
  const faults: FieldFault[] = [];
  for (const variable of variables) {
    const value = given(variable, values, faults);
    if (value !== undefined) {
      read[variable.name] = value;
      // A body may have more faults than a function call may have arguments, so spread syntax is not used.
      for (const fault of inputFaults(variable.type, value, variable.in === 'body' ? '' : variable.name))
        faults.push(fault);
      if (variable.in === 'query') faults.push(...sizeFaults(variable.name, value));
    } else if (variable.required) {
      faults.push(...missing(variable));
    }
  }
  return { variables: read, faults: [...faults, ...unknownParameters(variables, values)] };
}

function given(variable: RouteVariable, values: RequestValues, faults: FieldFault[]): unknown {
  if (variable.in === 'path') {
    const text = values.path[variable.name];
    return text === undefined ? undefined : fromText(variable.type, text);
  }
  if (variable.in === 'field') return values.body?.[variable.name];
  if (variable.in === 'body') return values.body ?? (mayBeEmpty(variable) ? {} : undefined);
  const texts = values.query.getAll(variable.name);
  if (texts.length === 0) return undefined;
  const inner = isNonNullType(variable.type) ? variable.type.ofType : variable.type;
  if (isListType(inner)) {
    const entries = texts.flatMap((text) => text.split(','));
    if (entries.length <= MOST_ENTRIES) return entries.map((text) => fromText(inner, text));
    faults.push({ param: variable.name, message: `has ${entries.length} entries, at most ${MOST_ENTRIES}` });
    return undefined;
  }
  if (texts.length > 1) faults.push({ param: variable.name, message: 'is given more than once' });
  return fromText(inner, texts[0] ?? '');
}

/** Maximum number of values of a parameter that accepts several. */
const MOST_ENTRIES = 200;

/** The limits of the parameters that all lists have, by name. */
export const parameterLimits: Record<string, { minimum: number; maximum?: number }> = {
  page: { minimum: 1 },
  pageSize: { minimum: 1, maximum: LIST_LIMIT },
};

function sizeFaults(name: string, value: unknown): FieldFault[] {
  const limits = Object.hasOwn(parameterLimits, name) ? parameterLimits[name] : undefined;
  if (!limits || typeof value !== 'number') return [];
  const { minimum, maximum = Number.POSITIVE_INFINITY } = limits;
  if (value >= minimum && value <= maximum) return [];
  return [
    {
      param: name,
      message: `is ${value}, ${maximum === Number.POSITIVE_INFINITY ? `at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
    },
  ];
}

/** Converts query text to the value of its type. Text that does not match stays text and is then a fault of its type. */
function fromText(type: GraphQLInputType, text: string): unknown {
  switch (getNamedType(type).name) {
    case 'Int':
      return /^-?\d{1,10}$/.test(text) ? Number(text) : text;
    case 'Float':
      return /^-?\d{1,30}(\.\d{1,30})?$/.test(text) ? Number(text) : text;
    // Compiled documents do not coerce IDs.
    case 'ID':
      return canonicalId(text);
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

function mayBeEmpty(variable: RouteVariable): boolean {
  const type = getNamedType(variable.type);
  return isInputObjectType(type) && !Object.values(type.getFields()).some(isRequiredInputField);
}

/** A missing body lacks all of its required fields. */
function missing(variable: RouteVariable): FieldFault[] {
  const type = getNamedType(variable.type);
  if (variable.in !== 'body' || !isInputObjectType(type)) return [{ param: variable.name, message: 'is required' }];
  return Object.values(type.getFields())
    .filter(isRequiredInputField)
    .map((field) => ({ param: field.name, message: 'is required' }));
}

function unknownParameters(variables: readonly RouteVariable[], values: RequestValues): FieldFault[] {
  const known = new Set(variables.filter((variable) => variable.in === 'query').map((variable) => variable.name));
  const unknown = new Set([...values.query.keys()].filter((name) => !known.has(name)));
  const faults = [...unknown].map((name) => ({
    param: name.slice(0, 100),
    message: 'is not a known parameter',
  }));
  if (variables.some((variable) => variable.in === 'body')) return faults;
  const isField = (name: string) => variables.some((variable) => variable.in === 'field' && variable.name === name);
  const fields = Object.keys(values.body ?? {}).filter((name) => !isField(name));
  return [...faults, ...fields.map((name) => ({ param: name.slice(0, 100), message: 'is not a known field' }))];
}
