/** Values for GraphQL input types: mostly well-formed, often unusual, sometimes of a wrong type. */
import fc, { type Arbitrary } from 'fast-check';
import {
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { fittingValues } from './fitting-values.ts';

/** Existing ids and valid bearer tokens, so that some requests pass the first checks. */
export type Known = { ids: string[]; tokens: string[] };

const MAX_DEPTH = 4;

const oddValues: unknown[] = [
  null,
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '1e5',
  '0x10',
  '٣',
  '1,5',
  'NaN',
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  true,
  [],
  {},
  [[]],
  'x'.repeat(256),
  'x'.repeat(20_000),
  '9'.repeat(400),
  'a\u0000b',
  '\ud800',
  '\u202e\ufeff💥',
  "' OR 1=1 --",
  '%',
  '\\',
  '{{7*7}}',
  'javascript:alert(1)',
  '__proto__',
  { __proto__: null, constructor: { prototype: 1 } },
  { $gt: '' },
  { a: { a: { a: { a: { a: {} } } } } },
  Array.from({ length: 300 }, (_, index) => index),
];

export const oddValue: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddValues) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** A value for a field or an argument, whose name may be more specific than its type. */
export function arbitraryField(
  known: Known,
  { name, type }: { name: string; type: GraphQLInputType },
  depth = 0,
): Arbitrary<unknown> {
  const any = arbitraryInput(known, type, depth);
  const fitting = fittingValues[String(getNullableType(type))]?.[name];
  if (!fitting) return any;
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...fitting) }, { weight: 1, arbitrary: any });
}

export function arbitraryInput(known: Known, type: GraphQLInputType, depth = 0): Arbitrary<unknown> {
  const fitting = fittingInput(known, type, depth);
  return fc.oneof({ weight: 40, arbitrary: fitting }, { weight: 1, arbitrary: oddValue });
}

function fittingInput(known: Known, type: GraphQLInputType, depth: number): Arbitrary<unknown> {
  if (isNonNullType(type)) return fittingInput(known, type.ofType, depth);
  if (isListType(type))
    return fc.array(arbitraryInput(known, type.ofType, depth + 1), { maxLength: depth > MAX_DEPTH ? 0 : 3 });
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => depth < MAX_DEPTH || isRequiredInputField(field));
    const values = Object.fromEntries(fields.map((field) => [field.name, arbitraryField(known, field, depth + 1)]));
    const usual = fields.filter(isRequiredInputField).map((field) => field.name);
    const record = fc.oneof(
      { weight: 5, arbitrary: fc.record(values, { requiredKeys: usual }) },
      { weight: 1, arbitrary: fc.record(values, { requiredKeys: [] }) },
    );
    const stranger = fc.tuple(fc.string({ maxLength: 12 }), oddValue);
    return fc.oneof(
      { weight: 12, arbitrary: record },
      { weight: 1, arbitrary: fc.tuple(record, stranger).map(([held, [name, value]]) => ({ ...held, [name]: value })) },
    );
  }
  return leaf(known, type);
}

function leaf(known: Known, type: GraphQLLeafType): Arbitrary<unknown> {
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  switch (type.name) {
    case 'ID':
    case 'UUID':
      return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known.ids) }, { weight: 1, arbitrary: fc.uuid() });
    case 'Decimal':
      return fc.constantFrom('1', '10.00', '0.01', '999999999999.99', '0', '1000000000000', '1.001', '00012.5');
    case 'BaseUnits':
      return fc.constantFrom('1', '0', '1000000', '9'.repeat(78), '9'.repeat(60));
    case 'Int':
      return fc.oneof(
        fc.integer({ min: -2, max: 400 }),
        fc.constantFrom(1, 31337, 31338, 103, 2_147_483_647, -2_147_483_648),
      );
    case 'Float':
      return fc.oneof(fc.double({ min: -5, max: 105, noNaN: true }), fc.constantFrom(0, 20, 100));
    case 'Boolean':
      return fc.boolean();
    case 'DateTime':
      return fc.constantFrom(
        '2026-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
        '0001-01-01T00:00:00Z',
        '2026-02-30T00:00:00Z',
      );
    case 'URL':
      return fc.constantFrom(
        'https://shop.example/a',
        'http://[::1]/',
        'https://user:pass@shop.example',
        'https://例え.jp/',
      );
    case 'JSONObject':
      return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
    case 'ChainSelection':
      return fc.constantFrom('ALL', [31337], [31337, 31338], [1], []);
    case 'TokenSelection':
      return fc.constantFrom('ALL', ['USDC-31337'], ['NOPE-1'], []);
    case 'Address':
      return fc.constantFrom(
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        `0x${'0'.repeat(40)}`,
        'So11111111111111111111111111111111111111112',
      );
    case 'Hex':
      return fc.constantFrom('0x', '0x00', `0x${'ab'.repeat(65)}`);
    default:
      return fc.oneof(
        fc.constantFrom(
          'USD',
          'EUR',
          'a',
          'slug-1',
          'Ada',
          'ada@example.com',
          'USDC-31337',
          '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        ),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
      );
  }
}
