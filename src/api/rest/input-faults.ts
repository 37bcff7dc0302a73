/**
 * Validates the values of a request against their GraphQL types and reports all faults at once, in the terms of the REST API. It is
 * stricter than GraphQL in one respect: a single value is not accepted as a list.
 */
import {
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { FieldFault } from '../../errors.ts';
import { isId } from '../../platform/identifier.ts';

/** Returns the faults of the value at `path`. There are none for undefined, which the containing type checks. */
export function inputFaults(type: GraphQLInputType, value: unknown, path: string): FieldFault[] {
  if (isNonNullType(type))
    return value === null ? [{ param: path, message: 'is null' }] : inputFaults(type.ofType, value, path);
  if (value === null || value === undefined) return [];
  if (isListType(type)) {
    if (!Array.isArray(value)) return [{ param: path, message: 'must be a list' }];
    return value.flatMap((item, index) => inputFaults(type.ofType, item, `${path}[${index}]`));
  }
  if (isInputObjectType(type)) return objectFaults(type, value, path);
  return leafFaults(type, value, path);
}

function objectFaults(type: GraphQLInputObjectType, value: unknown, path: string): FieldFault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ param: path, message: 'must be an object' }];
  const fields = type.getFields();
  const given = new Map(Object.entries(value));
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(fields, name));
  return [
    ...Object.values(fields).flatMap((field) => {
      const held = given.get(field.name);
      if (held !== undefined) return inputFaults(field.type, held, below(field.name));
      return isRequiredInputField(field) ? [{ param: below(field.name), message: 'is required' }] : [];
    }),
    ...unknown.map((name) => ({ param: below(name.slice(0, 100)), message: 'is not a known field' })),
  ];
}

const plainWords: Record<string, string> = {
  Int: 'must be an integer',
  Float: 'must be a number',
  String: 'must be a string',
  Boolean: 'must be true or false',
};

function leafFaults(type: GraphQLLeafType, value: unknown, path: string): FieldFault[] {
  if (type.name === 'ID' && !(typeof value === 'string' && isId(value)))
    return [{ param: path, message: 'must be a UUID' }];
  try {
    type.parseValue(value);
    return [];
  } catch (error) {
    return [{ param: path, message: leafWords(type, error) }];
  }
}

function leafWords(type: GraphQLLeafType, error: unknown): string {
  if (isEnumType(type)) {
    return `must be one of ${type
      .getValues()
      .map((held) => held.name)
      .join(', ')}`;
  }
  const plain = plainWords[type.name];
  if (plain !== undefined) return plain;
  return error instanceof GraphQLError ? error.message : `must be a ${type.name}`;
}
