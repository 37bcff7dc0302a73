/** The scalars, each with the error message for an invalid value. */
import { Decimal } from 'decimal.js';
import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { canonicalId, isId } from '../../../platform/identifier.ts';
import { builder, type SchemaTypes } from './builder.ts';

const DECIMAL = /^(0|[1-9]\d{0,29})(\.\d{1,30})?$/;
const BASE_UNITS = /^(0|[1-9]\d{0,77})$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const ADDRESS = /^(0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;
const HEX = /^0x([0-9a-fA-F]{2})*$/;
const TOKEN_KEY = /^[A-Za-z0-9._-]{1,100}$/;
const URL_LENGTH = 2048;
const HEX_LENGTH = 131_074;
const SELECTION_LENGTH = 200;
const NESTING = 20;
const FIAT_DIGITS = 2;

scalar('UUID', 'A UUID in its 36-character form.', readId);
scalar(
  'Decimal',
  'An amount as a decimal string in plain digits without leading zeros, such as "10.00"; never a JSON number.',
  (value) => matching(value, DECIMAL, 'a decimal string in plain digits without leading zeros, such as "10.00"'),
  (value) => (typeof value === 'string' ? value : printDecimal(value)),
);
scalar(
  'BaseUnits',
  "An amount in a token's smallest unit, as an integer string without leading zeros.",
  (value) => matching(value, BASE_UNITS, 'an integer string of base units without leading zeros'),
  (value) => (typeof value === 'object' ? value.toFixed(0) : String(value)),
);
scalar('URL', 'An http or https URL of at most 2048 characters.', (value) => {
  const text = matching(value, /^https?:\/\//i, 'an http(s) URL');
  if (text.length > URL_LENGTH) throw refused(`at most ${URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw refused('must be an http(s) URL');
  return text;
});
scalar(
  'Address',
  'A blockchain address: 20 bytes in hex on EVM chains, base58 on Solana, or 32 bytes in hex on Sui.',
  (value) => matching(value, ADDRESS, 'an address'),
);
scalar('Hex', 'Bytes in hex, after the prefix 0x.', (value) => {
  const text = matching(value, HEX, 'hex digits after 0x');
  if (text.length > HEX_LENGTH) throw refused(`at most ${HEX_LENGTH} characters`);
  return text;
});

builder.scalarType('DateTime', {
  description: 'A point in time in ISO 8601 format with a time zone. Returned in UTC with milliseconds.',
  serialize: (value) => value.toISOString(),
  parseValue: readInstant,
  parseLiteral: (node) => readLiteral(node, readInstant),
});

builder.scalarType('JSONObject', {
  description: 'A JSON object.',
  serialize: (value) => value ?? {},
  parseValue: readObject,
  parseLiteral: (node, variables) => readLiteral(node, readObject, variables),
});

builder.scalarType('JSON', {
  description: 'Any JSON value except null.',
  serialize: (value) => value,
  parseValue: readJson,
  parseLiteral: (node, variables) => readLiteral(node, readJson, variables),
});

builder.scalarType('ChainSelection', {
  description: '`"ALL"`, or a list of numeric chain IDs.',
  serialize: (value) => value,
  parseValue: readChains,
  parseLiteral: (node, variables) => readLiteral(node, readChains, variables),
});

builder.scalarType('TokenSelection', {
  description: '`"ALL"`, or a list of token keys such as `USDC-1`.',
  serialize: (value) => value,
  parseValue: readTokens,
  parseLiteral: (node, variables) => readLiteral(node, readTokens, variables),
});

type TextScalar = 'UUID' | 'Decimal' | 'BaseUnits' | 'URL' | 'Address' | 'Hex';

function scalar(
  name: TextScalar,
  description: string,
  read: (value: unknown) => string,
  print: (value: SchemaTypes['Scalars'][TextScalar]['Output']) => string = String,
): void {
  builder.scalarType(name, {
    description,
    serialize: (value) => print(value),
    parseValue: read,
    parseLiteral: (node) => readLiteral(node, read),
  });
}

/** Prints an amount with all of its fraction digits, and at least two. */
function printDecimal(value: { toString(): string }): string {
  const decimal = new Decimal(value.toString());
  return decimal.toFixed(Math.max(FIAT_DIGITS, decimal.decimalPlaces()));
}

function readId(value: unknown): string {
  if (typeof value !== 'string' || !isId(value)) throw refused('must be a UUID');
  return canonicalId(value);
}

function matching(value: unknown, shape: RegExp, words: string): string {
  if (typeof value !== 'string' || !shape.test(value)) throw refused(`must be ${words}`);
  return value;
}

function readInstant(value: unknown): Date {
  const instant = new Date(matching(value, INSTANT, 'an ISO 8601 instant with a time zone'));
  if (Number.isNaN(instant.getTime())) throw refused('must be an ISO 8601 instant with a time zone');
  return instant;
}

function readObject(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw refused('must be an object');
  requirePlainJson(value, 1);
  return value;
}

function readJson(value: unknown): unknown {
  if (value === null || value === undefined) throw refused('must be a JSON value');
  requirePlainJson(value, 1);
  return value;
}

function requirePlainJson(value: unknown, depth: number): void {
  if (depth > NESTING) throw refused(`at most ${NESTING} levels deep`);
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) requirePlainJson(member, depth + 1);
}

function readChains(value: unknown): 'ALL' | number[] {
  return readSelection(value, 'chain ids', (item): item is number => Number.isSafeInteger(item) && Number(item) > 0);
}

function readTokens(value: unknown): 'ALL' | string[] {
  return readSelection(value, 'token keys', (item): item is string => typeof item === 'string' && TOKEN_KEY.test(item));
}

function readSelection<Item>(value: unknown, words: string, isItem: (item: unknown) => item is Item): 'ALL' | Item[] {
  if (value === 'ALL') return 'ALL';
  if (!Array.isArray(value) || !value.every(isItem)) throw refused(`must be "ALL" or a list of ${words}`);
  if (value.length === 0) throw refused(`must name at least one of the ${words}, or be "ALL"`);
  if (value.length > SELECTION_LENGTH) throw refused(`at most ${SELECTION_LENGTH} ${words}`);
  return [...new Set(value)];
}

/** Applies `read` to a literal. Errors are located at the literal, so that they name the argument. */
function readLiteral<Value>(
  node: ValueNode,
  read: (value: unknown) => Value,
  variables?: Record<string, unknown> | null,
): Value {
  try {
    return read(literal(node, variables ?? {}));
  } catch (error) {
    throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
  }
}

/** Converts a literal of a document to JSON. */
function literal(node: ValueNode, variables: Record<string, unknown> = {}): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((item) => literal(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, literal(field.value, variables)]));
    case Kind.VARIABLE:
      return variables[node.name.value];
    default:
      return node satisfies never;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(message: string): GraphQLError {
  return new GraphQLError(message);
}
