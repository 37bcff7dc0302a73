/** Documents with syntax errors, or close to having one. */
import fc, { type Arbitrary } from 'fast-check';
import type { HostileDocument } from './flood.ts';

const sound = [
  '{ viewer { kind } }',
  'query Q($id: ID!) { paymentIntent(id: $id) { id status metadata } }',
  'mutation M($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }',
  'subscription { paymentIntentUpdated(id: "0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11") { id } }',
  'fragment F on Query { viewer { kind } } query Q @include(if: true) { ...F ... on Query { __typename } }',
  '{ paymentIntents(first: 2, filter: {status: [CREATED]}, orderBy: OLDEST) { nodes { id } } }',
];

const odd = [
  '',
  ' ',
  '\u0000',
  '\ufeff',
  '{',
  '}',
  '{}',
  '{ }{ }',
  'query',
  'query Q',
  'subscription { __typename }',
  'mutation { __typename }',
  '{ viewer { kind } } trailing',
  '{ viewer }',
  '{ viewer { kind { more } } }',
  '{ __proto__ }',
  '{ constructor { prototype } }',
  '{ __type(name: "__proto__") { name } }',
  '{ __schema { __typename @defer } }',
  '{ ... @defer { viewer { kind } } }',
  '{ viewer @skip(if: null) { kind } }',
  '{ viewer @skip(if: "true") { kind } }',
  '{ viewer { kind @include(if: $nothing) } }',
  'query ($if: Boolean) { viewer @include(if: $if) { kind } }',
  'query ($a: Query) { viewer { kind } }',
  'query ($a: [ID!]! = [null]) { viewer { kind } }',
  'query ($a: ID = $a) { viewer { kind } }',
  'query __proto__($__proto__: Int) { viewer { kind } }',
  '{ paymentIntent(id: "\\ud800") { id } }',
  '{ paymentIntent(id: "\\udc00\\ud800") { id } }',
  '{ paymentIntent(id: "\\u{110000}") { id } }',
  '{ paymentIntent(id: "\\u0000") { id } }',
  '{ paymentIntent(id: "\\u{0}") { id } }',
  '{ paymentIntent(id: "\ud800") { id } }',
  '{ paymentIntent(id: "💥\u202e\u2028\u0085") { id } }',
  '{ paymentIntent(id: "a\nb") { id } }',
  '{ vi\u0435wer { kind } }',
  '{ viewer\u00a0{ kind } }',
  '{ viewer\u2028{ kind } }',
  '{ viewer { kind\u0000 } }',
  '\ufeff\ufeff{ viewer { kind } }',
  '{ viewer { \ufeffkind } }',
  '{ paymentIntents(first: -2147483649) { nodes { id } } }',
  '{ paymentIntents(first: 00) { nodes { id } } }',
  '{ paymentIntents(first: 1e1000000) { nodes { id } } }',
  '{ paymentIntents(first: -) { nodes { id } } }',
  '{ paymentIntents(first: 0x10) { nodes { id } } }',
  'extend type Query { a: Int }',
  'schema { query: Query }',
  'directive @a repeatable on FIELD',
  '"""d""" query { viewer { kind } }',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
];

const tokens = [
  ...['{', '}', '(', ')', '[', ']', ':', '=', '|', '&', '!', '$', '@', '...', '"', '"""', '#', '\\', '\n', ','],
  ...['query', 'mutation', 'subscription', 'fragment', 'on', 'true', 'null', 'viewer', 'kind', 'id', 'type', 'input'],
  ...['0', '-1', '1.5e3', '"a"', '$a', '@skip(if: true)', '...F', '\u0000', '\ufeff', '💥', '\ud800', '__typename'],
];

/** A valid document in which some characters are replaced. */
const spoiled = fc
  .tuple(
    fc.constantFrom(...sound),
    fc.array(fc.tuple(fc.nat(200), fc.nat(12), fc.constantFrom('', ...tokens)), { minLength: 1, maxLength: 6 }),
  )
  .map(([text, changes]) =>
    changes.reduce((held, [place, length, piece]) => {
      const at = place % (held.length + 1);
      return held.slice(0, at) + piece + held.slice(at + length);
    }, text),
  );

export const brokenTexts: Arbitrary<HostileDocument>[] = [
  fc.constantFrom(...odd).map((text) => ({ kind: 'an odd text', text })),
  fc.constantFrom(...odd).map((text) => ({ kind: 'an odd text', text })),
  spoiled.map((text) => ({ kind: 'a spoiled document', text })),
  spoiled.map((text) => ({ kind: 'a spoiled document', text })),
  fc
    .array(fc.constantFrom(...tokens), { maxLength: 60 })
    .map((held) => ({ kind: 'tokens in any order', text: held.join(' ') })),
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => ({ kind: 'any characters', text })),
];
