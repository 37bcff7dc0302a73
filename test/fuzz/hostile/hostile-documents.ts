/** GraphQL documents that are invalid, or as expensive as possible for their size. */
import fc, { type Arbitrary } from 'fast-check';
import { brokenTexts } from './broken-texts.ts';
import { type HostileDocument, times } from './flood.ts';
import { largeDocuments } from './large-documents.ts';

/** Larger floods have no further effect, because they exceed the token limit. */
const MOST = 2_200;

/** A flood of `n` pieces in the braces of one operation. */
function selecting(kind: string, piece: (index: number) => string, most: number = MOST): Arbitrary<HostileDocument> {
  return fc.integer({ min: 1, max: most }).map((n) => ({ kind, text: `{ ${times(n, piece)} }` }));
}

function around(kind: string, most: number, make: (n: number) => string): Arbitrary<HostileDocument> {
  return fc.integer({ min: 1, max: most }).map((n) => ({ kind, text: make(n) }));
}

const unknown = [
  selecting('unknown fields', (index) => `f${index}`, 5_000),
  selecting('unknown fields that resemble known ones', (index) => `paymentIntent${'s'.repeat(index % 9)}${index}`),
  selecting('unknown fields below a known one', (index) => `viewer { kinds${index} }`, 1_000),
  selecting('unknown types', (index) => `... on T${index} { a }`, 800),
  selecting('unknown directives', (index) => `viewer @d${index} { kind }`, 800),
  around('unknown arguments', MOST, (n) => `{ viewer(${times(n, (index) => `a${index}: 1`)}) { kind } }`),
  around(
    'unknown enum values',
    500,
    (n) => `{ ${times(n, (index) => `a${index}: paymentIntents(orderBy: O${index}) { nodes { id } }`)} }`,
  ),
  around(
    'unknown input fields',
    900,
    (n) => `mutation { createPaymentIntent(input: {${times(n, (index) => `f${index}: 1`)}}) { id } }`,
  ),
  around(
    'unknown variables',
    900,
    (n) => `{ ${times(n, (index) => `a${index}: paymentIntent(id: $v${index}) { id }`)} }`,
  ),
  around(
    'literals of wrong types',
    500,
    (n) => `{ ${times(n, (index) => `a${index}: paymentIntent(id: ${index}) { id }`)} }`,
  ),
];

const floods = [
  selecting('aliases of one field', (index) => `a${index}: viewer { kind }`, 900),
  selecting('aliases of a leaf', (index) => `viewer { a${index}: kind }`, 900),
  selecting('aliases of a list', (index) => `a${index}: paymentIntents(first: 100) { nodes { id } }`, 300),
  selecting('one field again and again', () => 'viewer { kind }', 1_300),
  around(
    'aliases of a mutation',
    120,
    (n) => `mutation { ${times(n, (index) => `m${index}: createPaymentIntent(input: {amount: "1"}) { id }`)} }`,
  ),
  around('one directive again and again', MOST, (n) => `{ viewer ${'@include(if: true) '.repeat(n)} { kind } }`),
  around('operations', 900, (n) => times(n, (index) => `query Q${index} { viewer { kind } }`)),
  around('operations of one name', 900, (n) => times(n, () => 'query Q { viewer { kind } }')),
  around('operations without a name', 900, (n) => times(n, () => '{ viewer { kind } }')),
  around('variables', 900, (n) => `query (${times(n, (index) => `$v${index}: Int`)}) { viewer { kind } }`),
  around('variables of one name', 900, (n) => `query (${times(n, () => '$v: Int')}) { viewer { kind } }`),
  around(
    'variables of unknown types',
    900,
    (n) => `query (${times(n, (index) => `$v${index}: T${index}`)}) { viewer { kind } }`,
  ),
  around('type definitions', 700, (n) => times(n, (index) => `type T${index} { a: Int }`)),
  around(
    'live fields together',
    300,
    (n) => `subscription { ${times(n, (index) => `a${index}: chainStatus { appliedBlock }`)} }`,
  ),
];

const conflicts = [
  selecting('one answer for two fields', (index) => `a: viewer { ${index % 2 ? 'kind' : '__typename'} }`, 700),
  around(
    'fields of one name with other arguments',
    400,
    (n) => `{ ${times(n, (index) => `x: paymentIntents(first: ${index}) { nodes { id } }`)} }`,
  ),
  around(
    'conflicts in conflicts',
    60,
    (n) =>
      `{ ${times(n, (outer) => `viewer { ${times(8, (inner) => `a: ${(outer + inner) % 2 ? 'kind' : '__typename'}`)} }`)} }`,
  ),
  around(
    'conflicts between fragments',
    250,
    (n) =>
      `{ ${times(n, (index) => `...F${index}`)} } ${times(n, (index) => `fragment F${index} on Query { a: viewer { ${index % 2 ? 'kind' : '__typename'} } }`)}`,
  ),
];

const fragments = [
  around(
    'a cycle of fragments',
    400,
    (n) => `{ ...F0 } ${times(n, (index) => `fragment F${index} on Query { ...F${(index + 1) % n} }`)}`,
  ),
  around(
    'every fragment in every other',
    40,
    (n) => `{ ...F0 } ${times(n, (index) => `fragment F${index} on Query { ${times(n, (other) => `...F${other}`)} }`)}`,
  ),
  // Bounded, so that the growth is visible in the count without slowing down the test.
  around(
    'fragments that double',
    17,
    (n) =>
      `{ ...F0 } ${times(n, (index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`)} fragment F${n} on Query { viewer { kind } }`,
  ),
  around(
    'fragments that double below fields',
    15,
    (n) =>
      `{ __schema { types { ...F0 } } } ${times(n, (index) => `fragment F${index} on __Type { a: ofType { ...F${index + 1} } b: ofType { ...F${index + 1} } }`)} fragment F${n} on __Type { name }`,
  ),
  around(
    'fragments that nobody uses',
    700,
    (n) => `{ viewer { kind } } ${times(n, (index) => `fragment F${index} on Query { viewer { kind } }`)}`,
  ),
  around('fragments of one name', 700, (n) => `{ ...F } ${times(n, () => 'fragment F on Query { viewer { kind } }')}`),
  selecting('unknown fragments', (index) => `...F${index}`, 1_300),
];

const deep = [
  around('deep selections', 1_300, (n) => `${'{ viewer '.repeat(n)}{ kind }${' }'.repeat(n)}`),
  around('deep inline fragments', 900, (n) => `{ ${'... on Query { '.repeat(n)} viewer { kind } ${'}'.repeat(n)} }`),
  around(
    'deep introspection',
    400,
    (n) => `{ __schema { types { ${'fields { type { '.repeat(n)} name ${'} } '.repeat(n)} } } }`,
  ),
  around(
    'introspection of every type',
    120,
    (n) => `{ ${times(n, (index) => `a${index}: __schema { types { name fields { name args { name } } } }`)} }`,
  ),
  around('deep lists', 1_900, (n) => `{ viewer(a: ${'['.repeat(n)}${']'.repeat(n)}) { kind } }`),
  around('deep objects', 900, (n) => `{ viewer(a: ${'{a: '.repeat(n)}1${'}'.repeat(n)}) { kind } }`),
  around('deep types', 1_900, (n) => `query ($a: ${'['.repeat(n)}Int${']'.repeat(n)}) { viewer { kind } }`),
  around(
    'deep literals of an input',
    900,
    (n) => `mutation { createPaymentIntent(input: {metadata: ${'{a: '.repeat(n)}1${'}'.repeat(n)}}) { id } }`,
  ),
  around('braces alone', 3_900, (n) => '{'.repeat(n)),
];

/** Any of these documents. Each kind has the same probability. */
export const hostileDocument: Arbitrary<HostileDocument> = fc.oneof(
  ...unknown,
  ...floods,
  ...conflicts,
  ...fragments,
  ...deep,
  ...largeDocuments,
  ...brokenTexts,
);
