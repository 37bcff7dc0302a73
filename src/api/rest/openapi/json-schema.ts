/** GraphQL types as JSON Schema 2020-12, which OpenAPI 3.1 uses. */
import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { z } from 'zod';
import { rulesOf } from '../../graphql/server/input.ts';

export type JsonSchema = Record<string, unknown>;
/** Named schemas that all operations share. They are added while operations are described. */
export type Components = Map<string, JsonSchema>;

const uuid: JsonSchema = { type: 'string', format: 'uuid', examples: ['0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11'] };

/** Scalars in JSON. Those with a format of their own are components with a description. */
const scalars: Record<string, JsonSchema> = {
  ID: uuid,
  UUID: uuid,
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] },
  Decimal: {
    type: 'string',
    pattern: '^(0|[1-9]\\d*)(\\.\\d+)?$',
    description: 'A decimal string in plain digits without leading zeros.',
    examples: ['10.00'],
  },
  BaseUnits: {
    type: 'string',
    pattern: '^(0|-?[1-9]\\d*)$',
    description: "An amount in a token's smallest unit, as an integer string without leading zeros.",
    examples: ['10000000'],
  },
  URL: { type: 'string', format: 'uri', maxLength: 2048, examples: ['https://shop.example/thanks'] },
  JSONObject: { type: 'object', additionalProperties: true, examples: [{ order: '1042' }] },
  JSON: { description: 'Any JSON value.', examples: [['0x48656c6c6f', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8']] },
  Address: {
    type: 'string',
    description: 'A blockchain address: hex on EVM chains and Sui, base58 on Solana.',
    examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  },
  Hex: { type: 'string', pattern: '^0x[0-9a-fA-F]*$', examples: ['0x'] },
};

const selections: Record<string, JsonSchema> = {
  ChainSelection: {
    description: '`"ALL"`, or a list of numeric chain IDs.',
    oneOf: [
      { type: 'string', const: 'ALL' },
      { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1 } },
    ],
    examples: ['ALL'],
  },
  TokenSelection: {
    description: '`"ALL"`, or a list of token keys such as `USDC-1`.',
    oneOf: [
      { type: 'string', const: 'ALL' },
      { type: 'array', minItems: 1, items: { type: 'string' } },
    ],
    examples: ['ALL'],
  },
};

/** Returns the schema of a scalar or an enum. A scalar without an entry accepts anything. */
export function leafSchema(components: Components, type: GraphQLNamedType): JsonSchema {
  if (isEnumType(type)) return reference(components, type.name, () => enumSchema(type));
  const selection = selections[type.name];
  if (selection) return reference(components, type.name, () => selection);
  const known = scalars[type.name];
  if (known) return { ...known };
  return type.description ? { description: type.description } : {};
}

/** Returns the schema of an input. A nullable type accepts null. */
export function inputSchema(components: Components, type: GraphQLInputType): JsonSchema {
  return isNonNullType(type) ? presentInput(components, type.ofType) : nullable(presentInput(components, type));
}

/** Does the same for a query or path parameter, which can be absent but never null. */
export function presentInput(components: Components, type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return presentInput(components, type.ofType);
  if (isListType(type)) return { type: 'array', items: inputSchema(components, type.ofType) };
  if (isInputObjectType(type)) return reference(components, type.name, () => objectSchema(components, type));
  return leafSchema(components, type);
}

export function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

/** Returns a reference to a component, which is created with the first reference. */
export function reference(components: Components, name: string, make: () => JsonSchema): JsonSchema {
  if (!components.has(name)) {
    const placed: JsonSchema = {};
    components.set(name, placed);
    Object.assign(placed, make());
  }
  return { $ref: `#/components/schemas/${name}` };
}

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const descriptions = values
    .filter((value) => value.description)
    .map((value) => `- \`${value.name}\`: ${value.description}`);
  const description = [type.description, descriptions.join('\n')].filter(Boolean).join('\n\n');
  return { type: 'string', enum: values.map((value) => value.name), ...(description === '' ? {} : { description }) };
}

function objectSchema(components: Components, type: GraphQLInputObjectType): JsonSchema {
  const limits = limitsOf(type);
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequiredInputField).map((field) => field.name);
  return {
    type: 'object',
    ...(type.description ? { description: type.description } : {}),
    additionalProperties: false,
    properties: Object.fromEntries(
      fields.map((field) => {
        const { examples, ...typed } = inputSchema(components, field.type);
        const limit = limits[field.name] ?? {};
        // A narrower pattern may not match the example of the type.
        const keeps =
          Array.isArray(examples) && examples.every((held) => fits(held, limit.pattern)) ? { examples } : {};
        const limited = { ...typed, ...keeps, ...limit };
        const described = field.description ? { ...limited, description: field.description } : limited;
        const schema = field.defaultValue === undefined ? described : { ...described, default: field.defaultValue };
        return [field.name, withExample(schema, field.extensions)];
      }),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

function fits(example: unknown, pattern: unknown): boolean {
  return typeof pattern !== 'string' || (typeof example === 'string' && new RegExp(pattern).test(example));
}

/** The examples of fields that have one of their own, by the schemas of the fields. */
export const ownExamples = new WeakMap<JsonSchema, string>();

/** Returns the schema of a field with the field's own example, which is the extension `example` of the GraphQL field. */
export function withExample(schema: JsonSchema, { example }: Readonly<Record<string, unknown>>): JsonSchema {
  if (typeof example !== 'string') return schema;
  const made = { ...schema, examples: [example] };
  ownExamples.set(made, example);
  return made;
}

const limitNames = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'pattern',
];

/** Returns the limits that the rules of a type add to the types of its fields. */
function limitsOf(type: GraphQLInputObjectType): Record<string, JsonSchema> {
  const rules = rulesOf(type);
  if (!rules) return {};
  const printed = z.toJSONSchema(rules.schema, { io: 'input', unrepresentable: 'any' });
  const limits = Object.entries(printed.properties ?? {}).map(([name, schema]) => {
    const alternatives = typeof schema === 'object' ? [schema, ...(schema.anyOf ?? [])] : [];
    const found = alternatives.flatMap((held) => (typeof held === 'object' ? Object.entries(held) : []));
    return [name, Object.fromEntries(found.filter(([limit, value]) => isLimit(limit, value)))] as const;
  });
  return Object.fromEntries(limits);
}

function isLimit(name: string, value: unknown): boolean {
  return limitNames.includes(name) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
}
